// Stands between the installed till and its server. It keeps the files of the
// shell, which carry a hash of their content and never change, and one page that
// says there is no connection. It keeps no page of the till and no answer with
// money in it, and it never holds back a request to send it later: a sale that
// cannot be sent now is not sent.
(() => {
  "use strict";
  const { version, files, offline } = self.till; // written before this script by the server
  const mine = "airtill-" + version;

  self.addEventListener("install", (event) => {
    // The files come out of the browser's own cache: the page has just loaded them.
    const kept = [...files, new Request(offline, { cache: "reload" })];
    event.waitUntil(caches.open(mine).then((cache) => cache.addAll(kept)).then(() => self.skipWaiting()));
  });

  self.addEventListener("activate", (event) => {
    const old = (names) => names.filter((name) => name.startsWith("airtill-") && name !== mine);
    event.waitUntil(caches.keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()));
  });

  self.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
    if (files.includes(new URL(request.url).pathname)) {
      event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
    } else if (request.mode === "navigate") {
      event.respondWith(fetch(request).catch(() => caches.match(offline)));
    }
  });
})();
