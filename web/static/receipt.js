// Prints a slip on a roll: measures it, sets the page to exactly that size, and
// opens the print window once by itself if the page asks for it.
(() => {
  "use strict";
  const slip = document.querySelector(".slip");
  const width = Number(document.body.dataset.width) || 80;
  const millimetre = 96 / 25.4;

  function fitPage() {
    const height = Math.ceil(slip.getBoundingClientRect().height / millimetre) + 2;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@page { size: ${width}mm ${height}mm; margin: 0; }`);
    document.adoptedStyleSheets = [sheet];
  }

  function print() {
    fitPage();
    window.print();
  }

  document.querySelector("[data-print-now]").addEventListener("click", print);
  window.addEventListener("beforeprint", fitPage);

  window.addEventListener("load", () => {
    fitPage();
    const once = "printed " + document.body.dataset.receipt;
    if (!document.body.hasAttribute("data-auto-print") || sessionStorage.getItem(once)) return;
    sessionStorage.setItem(once, "yes");
    print();
  });
})();
