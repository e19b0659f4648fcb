// Prints a slip on a roll: measures it, sets the page to exactly that size, and
// prints once by itself, with leave of the till, through the printer bridge or
// the browser.
(() => {
  "use strict";
  const page = document.body.dataset;
  const slip = document.querySelector(".slip");
  const width = Number(page.width) || 80;
  const millimetre = 96 / 25.4;

  function fitPage() {
    const height = Math.ceil(slip.getBoundingClientRect().height / millimetre) + 2;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@page { size: ${width}mm ${height}mm; margin: 0; }`);
    document.adoptedStyleSheets = [sheet];
  }

  // The till hears of it even if the page is left at once.
  const tell = (url) => fetch(url, { method: "POST", keepalive: true, headers: { "X-CSRF-Token": page.csrf } });
  const show = (selector) => { document.querySelector(selector).hidden = false; };

  const tellParent = () => { if (parent !== window) parent.postMessage("not-printed", location.origin); };

  async function sendToBridge() {
    const file = await fetch(page.file, { cache: "no-store" });
    if (!file.ok) throw new Error("no file");
    const taken = await fetch(page.bridge, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: await file.arrayBuffer(), signal: AbortSignal.timeout(20000) });
    if (!taken.ok) throw new Error("not taken");
  }

  async function print() {
    if (!page.bridge || !page.file) {
      fitPage();
      window.print();
      return;
    }
    try {
      await sendToBridge();
      show("[data-was-printed]");
    } catch {
      tellParent();
      if (page.fail) await tell(page.fail).catch(() => {}); // without a connection the person is told all the same
      show("[data-not-printed]");
    }
  }

  document.querySelector("[data-print-now]")?.addEventListener("click", print);
  window.addEventListener("beforeprint", fitPage);

  window.addEventListener("load", async () => {
    fitPage();
    if (!page.ask) return;
    const leave = await tell(page.ask).catch(() => null);
    if (leave?.status === 204) return print();
    if (leave?.status === 409) return; // it has printed
    tellParent();
    show("[data-not-printed]");
  });
})();
