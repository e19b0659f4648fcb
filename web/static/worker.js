// Stands between the installed till and its server. It keeps the files of the
// shell, which carry a hash of their content and never change, and one page that
// says there is no connection. It keeps no page of the till and no answer with
// money in it, and it never holds back a request to send it later: a sale that
// cannot be sent now is not sent.
//
// A worker that takes the place of another while a page is on its way leaves
// that page hanging for ever. So this script is the same for everyone, in every
// language and of every version whose worker works alike; a new one waits until
// no page is open, and what it keeps is what the pages tell it.
(() => {
  "use strict";

  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("message", (event) => event.waitUntil(keep(event.data)));

  // keep is told by a page which files it is made of, under a name that is
  // another for another version or language.
  async function keep({ name, files, offline }) {
    if (await caches.match(offline, { cacheName: name })) return; // without it, it was cut off before it was filled
    const cache = await caches.open(name);
    try {
      // The files come out of the browser's own cache: the page has just loaded them.
      await cache.addAll([...files, new Request(offline, { cache: "reload" })]);
    } catch {
      return caches.delete(name); // the next page tells again
    }
    for (const old of await caches.keys()) if (old !== name) await caches.delete(old);
  }

  self.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== "GET" || origin !== location.origin) return;
    if (pathname.startsWith("/static/")) {
      event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
    } else if (request.mode === "navigate") {
      event.respondWith(fetch(request).catch(() => caches.match("/offline").then((page) => page || Response.error())));
    }
  });
})();
