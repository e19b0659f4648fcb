// What makes the till quick: keys, focus, seconds, filters. Every page works
// without this file. All listeners stand on the document, so a page that htmx
// swaps in needs no setting up.
(() => {
  "use strict";

  const scannerPause = 400; // ms in which a second Enter is a scanner's, not a person's
  const scannerGap = 100; // ms between two keys of a scanner, at most
  const tremble = 250; // ms in which the same key once more is not meant
  const fingerPause = 300; // ms after a live change in which a tap, or after a new page the second of two clicks, meant what was there before
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const visible = (el) => el && el.checkVisibility();
  const typing = (el) => el instanceof HTMLInputElement && !["radio", "checkbox", "button", "submit"].includes(el.type);

  /* Keys */

  let lastEnter = -Infinity;
  let lastChoice = { key: "", at: -Infinity };
  let typedAhead = ""; // the next number, typed before its field is there, with a line's end for Enter
  let burst = { text: "", at: -Infinity }; // keys that came as fast as a scanner's

  document.addEventListener("keydown", (event) => {
    if (!event.key) return; // a browser that fills in a name
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter") return onEnter(event);
    lastEnter = -Infinity;
    if (event.key !== "Shift") burst = { text: isInBurst(event) ? burst.text + latin(event.key) : latin(event.key), at: event.timeStamp };
    const action = keyAction(event);
    if (!action) return;
    if (!action.letsType) event.preventDefault();
    if (event.repeat && !event.key.startsWith("Arrow")) return; // it would answer a page that nobody has read yet
    action();
  });

  // A scanner ends its code with one Enter or two; the second would confirm what
  // nobody has read yet. The same goes for a key that is held down.
  function onEnter(event) {
    const isStray = typedAhead === "" && isStrayNumber(event) && toCounter();
    if (isStray || typedAhead !== "" || event.repeat || event.timeStamp - lastEnter < scannerPause) event.preventDefault();
    if (typedAhead !== "") typedAhead += "\n";
    lastEnter = event.timeStamp;
    if (isStray && screenIsFree() && !find("form[action^='/sales'].htmx-request")) startWith(`${burst.text}\n`);
    burst.at = -Infinity;
  }

  const isInBurst = (event) => event.timeStamp - burst.at < scannerGap;

  // A number scanned where no field takes it begins with digits that choose something, and ends with an Enter that would
  // press a button, or send what was chosen, with the rest of the digits as the cash given. One key before a sum may
  // have been its product's.
  function isStrayNumber(event) {
    const { target } = event, isCash = target.matches("[data-cash]");
    const isWhole = isCash ? latin(target.value).includes(burst.text.slice(1)) : target.matches("input, select, textarea");
    return !isWhole && isInBurst(event) && /^\+?\d{7,}$/.test(burst.text);
  }

  // Not every driver of keys leaves out the character of a key that was taken.
  let isTaken = false;
  window.addEventListener("keydown", (event) => { isTaken = event.defaultPrevented; });
  window.addEventListener("keypress", (event) => { if (isTaken) event.preventDefault(); });

  function keyAction(event) {
    const { key, target } = event;
    if (key === "Escape") return stepBack(target);
    if (key.startsWith("Arrow")) return moveTo(key, target);
    if (target.matches?.("textarea") || (target.matches?.("select") && letterOf(event))) return null; // theirs
    const recalled = target.id === "number" && find(`#recalled [data-letter="${letterOf(event)}"]`);
    if (recalled) return () => choose(recalled);
    if (typing(target) && target.value !== "") return null;
    if (typedAhead !== "" && key.length === 1) return () => { typedAhead += latin(key); };
    if (key === "?") return () => find("#keys")?.togglePopover();
    if (key === "/") return goToSearch();
    if (key === "*" && find("[data-lock]")) return () => lockScreen(find("[data-lock]"));
    if (typing(target)) return null;
    const rows = target.closest?.("[data-row-keys]");
    const name = CSS.escape((letterOf(event) || digitOf(event)).toLowerCase());
    const row = rows && all(`[data-row-key="${name}"]`, rows).find(visible);
    const chosen = row || all(`[data-key="${name}"]`).find(visible);
    if (chosen) return () => chooseOnce(chosen, event);
    return nextNumber(latin(key));
  }

  // Of a keyboard without Latin letters, the place of the key counts.
  function letterOf({ key, code }) {
    if (/^[a-z]$/i.test(key)) return key.toUpperCase();
    return /\p{L}/u.test(key) ? code.match(/^Key(.)$/)?.[1] ?? "" : "";
  }

  // Where digits are written with Shift, as on French keyboards, the place of the key chooses without it.
  function digitOf({ key, code, shiftKey }) {
    return (!shiftKey && !/[\p{Nd}+]/u.test(key) && code.match(/^Digit(.)$/)?.[1]) || latin(key);
  }

  // The digits of a text, Arabic and Persian ones too, as 0 to 9.
  function latin(text) {
    return text.replace(/[٠-٩۰-۹]/g, (digit) => digit.charCodeAt(0) & 15);
  }

  // The search of this page; where there is none, or one is in it already, that
  // across everything.
  let wantsSearch = false;
  function goToSearch() {
    const box = find("[data-search]");
    if (visible(box) && box !== document.activeElement) return () => box.focus();
    const everywhere = find("a[href='/find']");
    return everywhere && (() => {
      wantsSearch = true;
      everywhere.click();
    });
  }

  // The list of keys shows those of the page one is on.
  document.addEventListener("beforetoggle", (event) => {
    if (event.target.id !== "keys") return;
    for (const line of all("[data-where]", event.target)) line.hidden = !all(line.dataset.where).some((el) => visible(el) || el.hasAttribute("data-lock"));
  }, true);

  // The key that led to a question does not answer it when a finger trembles: nobody has read it yet.
  function chooseOnce(el, { key, timeStamp }) {
    const trembles = key === lastChoice.key && timeStamp - lastChoice.at < tremble;
    lastChoice = { key, at: timeStamp };
    if (el.name !== "another") return choose(el);
    const { text } = burst; // a scanned number may begin with this key
    if (!trembles) setTimeout(() => { if (burst.text === text && el.isConnected) choose(el); }, scannerGap);
  }

  function choose(el) {
    el.focus();
    if (!("selects" in el.dataset)) el.click();
  }

  function stepBack(target) {
    if (find(":popover-open")) return null;
    if (typing(target) && target.value !== "" && !target.closest(".details")) {
      if (target.id === "number") return () => target.select(); // it is not lost, and the next key replaces it
      return () => {
        target.value = "";
        target.dispatchEvent(new Event("input", { bubbles: true }));
      };
    }
    const back = find("[data-back]") || (screenIsFree() && find("[data-next-sale]"));
    return visible(back) ? () => back.click() : null;
  }

  // The arrows walk through a list; from a field, down leads into it.
  function moveTo(key, target) {
    if (target.dataset?.next && key === "ArrowDown") {
      const first = find(target.dataset.next);
      return first && (() => first.focus());
    }
    const list = target.closest?.("[data-arrows], [data-choices]");
    if (!list || typing(target)) return null;
    const items = all("a, button, input", list).filter(visible);
    const forward = key === "ArrowDown" || key === (document.dir === "rtl" ? "ArrowLeft" : "ArrowRight");
    const next = items[items.indexOf(target) + (forward ? 1 : -1)] || (!forward && find("[data-next]"));
    return next ? () => next.focus() : null;
  }

  // Once a sale is over, or has been waited for long enough, a digit begins the
  // next one; what is typed before its field is there is not lost.
  function nextNumber(key) {
    if (!/^[0-9+]$/.test(key)) return null;
    const field = find("#number");
    const cash = find("[data-cash]");
    if (visible(cash)) return Object.assign(() => cash.focus(), { letsType: true }); // and the key lands there
    if (visible(field) && !field.closest("[inert]")) return Object.assign(() => { field.focus(); selectOnce(field); }, { letsType: true });
    const next = find("[data-next-sale]");
    if (!visible(next) || !screenIsFree()) return null;
    return () => startWith(key);
  }

  const underWay = "form.htmx-request, a.htmx-request";
  const toCounter = () => find("[data-next-sale]") || find("nav a[href='/counter']");
  let isDue = false; // the page to start on cannot be asked for yet: another is under way
  function startWith(text) {
    typedAhead = text;
    isDue = find(underWay) !== null;
    if (!isDue) toCounter().click();
  }

  // What was typed ahead of a page that did not come is not the beginning of a later number.
  document.addEventListener("htmx:finally:request", ({ detail }) => {
    if (isDue && find(underWay)) return;
    const next = isDue && typedAhead !== "" && toCounter();
    if (next) next.click();
    else if (isDue || detail.ctx.sourceElement?.matches?.("[data-next-sale], nav a")) typedAhead = "";
    isDue = false;
  });

  function screenIsFree() {
    const clock = find("[data-free]");
    return !clock || secondsOf(clock) >= Number(clock.dataset.free);
  }

  /* One press, one request */

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.hasAttribute("data-busy") || (!navigator.onLine && form.method === "post")) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (!form.hasAttribute("data-once")) return;
    // After the event: a disabled or changed form would not be sent whole.
    queueMicrotask(() => {
      form.setAttribute("data-busy", "");
      (event.submitter || find("button", form))?.setAttribute("data-pressed", "");
    });
  }, true);

  function release() {
    for (const el of all("[data-busy]")) el.removeAttribute("data-busy");
    for (const el of all("[data-pressed]")) el.removeAttribute("data-pressed");
  }
  // What is asked for beside a form does not say that it was answered.
  document.addEventListener("htmx:finally:request", ({ detail }) => { if (!detail.ctx.sourceElement?.matches?.("[hx-sse\\:connect], [hx-trigger]")) release(); });
  window.addEventListener("pageshow", release);

  let pressedAt = 0;
  let changedAt = -Infinity, cameAt = -Infinity; // of the last live change, and of the last page
  document.addEventListener("pointerdown", (event) => { pressedAt = event.timeStamp; }, true);
  document.addEventListener("click", (event) => {
    const soonAfter = (at) => pressedAt < at + fingerPause && event.timeStamp > at;
    const meantTheOld = event.detail > 0 && soonAfter(changedAt) && event.target.closest("#outcome");
    const secondOfTwo = event.detail > 1 && soonAfter(cameAt) && event.target.closest("#outcome, .confirm");
    if (!meantTheOld && !secondOfTwo) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  /* Locking */

  // A till that nobody touches locks itself; a PIN opens it where it was. While the machine sleeps only one of its clocks
  // runs, and the first touch after that is no longer of who sat there.
  let lastTouch = [performance.now(), Date.now()];
  const lockIsDue = () => {
    const after = Number(find("[data-lock]")?.dataset.lock) * 1000;
    return after > 0 && navigator.onLine && Math.max(performance.now() - lastTouch[0], Date.now() - lastTouch[1]) > after;
  };
  for (const touch of ["keydown", "pointerdown"]) document.addEventListener(touch, (event) => {
    if (!lockIsDue()) return void (lastTouch = [performance.now(), Date.now()]);
    event.preventDefault();
    event.stopImmediatePropagation();
    lockScreen(find("[data-lock]"));
  }, true);
  setInterval(() => { if (lockIsDue()) lockScreen(find("[data-lock]")); }, 5000);

  function lockScreen(lock) {
    lastTouch = [performance.now(), Date.now()];
    const next = document.createElement("input");
    Object.assign(next, { type: "hidden", name: "next", value: location.pathname + location.search });
    lock.form.append(next);
    lock.form.requestSubmit();
  }

  /* Seconds */

  const started = new WeakMap();

  // The server's count is where a clock starts; it is taken over again only if
  // the two have parted, so the seconds never run backwards for a blink.
  function secondsOf(clock) {
    const now = performance.now() / 1000;
    const told = Number(clock.dataset.elapsed);
    const known = started.get(clock);
    if (!known || (known.told !== told && Math.abs(now - known.at - told) > 3)) {
      started.set(clock, { told, at: now - told });
    }
    return Math.floor(now - started.get(clock).at);
  }

  function countdownOf(el) {
    const told = el.dataset.countdown;
    if (started.get(el)?.told !== told) started.set(el, { told, at: performance.now() / 1000 });
    return Math.max(0, Math.ceil(Number(told) - (performance.now() / 1000 - started.get(el).at)));
  }

  // Numbers are written with the digits that the server uses, in place of all of its number: it groups thousands.
  function write(el, number, zero) {
    const text = String(number).replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0) + Number(digit)));
    const full = el.textContent.replace(/\p{Nd}+(?:[^\p{Nd}\p{L}]\p{Nd}+)*/u, text);
    if (full !== el.textContent) el.textContent = full;
  }

  function tick() {
    for (const el of all("[data-tray-elapsed]")) {
      if (started.get(el)?.told !== el.dataset.trayElapsed) started.set(el, { told: el.dataset.trayElapsed, at: performance.now() / 1000 });
      write(el, Math.floor(Number(el.dataset.trayElapsed) + performance.now() / 1000 - started.get(el).at), el.dataset.digit);
    }
    const clock = find("[data-elapsed]");
    if (!clock) return;
    const seconds = secondsOf(clock);
    const shown = find("[data-seconds]", clock);
    write(shown, seconds, clock.dataset.digit);
    shown.toggleAttribute("data-zero", seconds < 1);
    for (const el of all("[data-countdown]", clock)) write(el, countdownOf(el), clock.dataset.digit);
    if (seconds >= Number(clock.dataset.free)) freeScreen(clock);
  }

  // Nobody waits longer than this for a sale: the next one comes first now.
  function freeScreen(clock) {
    if (clock.dataset.isFree) return;
    clock.dataset.isFree = "yes";
    const next = find("[data-next-sale]");
    if (!next) return; // of who looks on
    find("[data-freed]", clock).hidden = false;
    const field = find("[data-when-free]");
    if (field) {
      field.inert = false;
      if (!userIsBusy()) find("input:not([type=hidden])", field).focus();
    }
    if (!field) next.classList.add("primary");
    if (!field && !document.activeElement.closest("#outcome")) next.focus();
  }
  setInterval(tick, 250);

  /* Filters */

  document.addEventListener("input", (event) => {
    const box = event.target.closest("[data-filter]");
    if (box) filter(box, event.target.value);
    if (event.target.matches("[data-either]")) keepOne(event.target);
  });

  document.addEventListener("keydown", (event) => {
    const box = event.key === "Enter" && event.target.closest?.("[data-filter]");
    if (!box) return;
    const first = all(".card", find(box.dataset.filter)).find(visible);
    if (!first && box.matches("form")) return; // the server may find more
    event.preventDefault();
    first?.focus();
  });

  function filter(box, text) {
    const list = find(box.dataset.filter);
    const words = folded(text).split(/\s+/).filter(Boolean);
    for (const card of all(".card", list)) {
      card.searchText ??= folded(all(":scope > :not(kbd)", card).map((part) => part.textContent).join(" "));
      card.hidden = !words.every((word) => card.searchText.includes(word));
    }
    for (const group of all("[data-filter-group]", list)) group.hidden = !find(".card:not([hidden])", group);
    const form = list.closest("form");
    for (const part of all("[data-unfiltered]", form)) part.hidden = words.length > 0;
    const empty = find(`[data-filter-empty="${box.dataset.filter}"]`);
    if (empty) empty.hidden = find(".card:not([hidden])", list) !== null;
    all(".card:not([hidden])", form).filter((card) => !card.closest("[hidden]")).forEach(number);
  }

  // Lower case, without accents, as the server compares too.
  function folded(text) {
    return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
  }

  // The first nine of what is shown answer to the keys.
  function number(card, index) {
    let cap = find("kbd", card);
    if (index >= 9) {
      cap?.remove();
      card.removeAttribute("data-key");
      card.removeAttribute("aria-keyshortcuts");
      return;
    }
    if (!cap) {
      cap = document.createElement("kbd");
      cap.setAttribute("aria-hidden", "true");
      card.append(cap);
    }
    cap.textContent = card.dataset.key = String(index + 1);
    card.setAttribute("aria-keyshortcuts", cap.textContent);
  }

  function keepOne(field) {
    for (const other of all("[data-either]", field.form)) if (other !== field) other.value = "";
  }

  /* Who four digits mean */

  let recalling = null;
  document.addEventListener("input", ({ target }) => {
    const list = target.id === "number" && find("#recalled");
    if (!list) return;
    clearTimeout(recalling);
    list.replaceChildren();
    if (/^\p{Nd}{4}$/u.test(target.value)) recalling = setTimeout(() => list.isConnected && htmx.trigger(list, "recall"), 120);
  });

  // Who was meant by digits that have changed since is of no use.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.sourceElement?.id === "recalled" && !/^\p{Nd}{4}$/u.test(find("#number")?.value)) event.preventDefault();
  });

  /* Change */

  // What goes back to the customer, while one types what they gave. The till
  // does its own sum.
  document.addEventListener("input", (event) => {
    const cash = event.target.closest("[data-cash]");
    if (!cash) return;
    const money = moneyOf(cash.dataset.currency, cash.dataset.decimals);
    const back = Math.round(typedSum(cash.value, money, cash.dataset.mark) * 1e6) - Number(cash.dataset.cash);
    find("[data-change]", cash.form).textContent = back >= 0 ? money.format(back / 1e6) : "–";
  });

  // Browsers leave out the decimals of currencies whose coins have gone, in which the till still sells.
  function moneyOf(currency, decimals) {
    return new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  }

  // Three digits after a mark are a group of a whole number, unless the currency has as many decimals and it is the mark
  // that the server writes before them, or a point after a lone 0.
  function typedSum(text, money, mark) {
    const third = money.resolvedOptions().maximumFractionDigits > 2 ? `|(?:[${mark}٫]|(?<=^0)\\.)(\\d{3})` : "";
    const parts = latin(text.trim()).match(`^(\\d+|[1-9]\\d{0,2}(?:[.,'’٬\\s]\\d{3})+)(?:[.,٫](\\d{1,2})${third})?$`);
    return parts ? Number(`${parts[1].replace(/\D/g, "")}.${parts[2] ?? parts[3] ?? 0}`) : NaN;
  }

  /* A receipt that prints by itself */

  const printing = new Set();
  function autoPrint() {
    const form = find("[data-auto-print]");
    if (!form || printing.has(form.dataset.autoPrint)) return;
    printing.add(form.dataset.autoPrint);
    printIn(form);
  }

  // The paper prints itself in a frame that nobody sees, nor what comes instead of it.
  function printIn(form) {
    find("iframe.auto-print")?.remove();
    sayNotPrinted(false);
    const frame = document.createElement("iframe");
    Object.assign(frame, { name: "auto-print", title: document.title, className: "auto-print", tabIndex: -1 });
    frame.setAttribute("aria-hidden", "true");
    document.body.append(frame);
    frame.addEventListener("load", () => sayNotPrinted(!frame.contentDocument?.querySelector(".slip")));
    form.target = frame.name;
    form.submit();
  }

  function sayNotPrinted(yes) {
    const notice = find("[data-auto-failed]");
    if (notice) notice.hidden = !yes;
  }

  // Each press is a print of its own, but for those of a finger that trembles.
  let printedAt = -Infinity;
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-print]") || event.defaultPrevented) return;
    event.preventDefault();
    if (event.timeStamp - printedAt < 1000) return;
    printedAt = event.timeStamp;
    printIn(event.target);
    find("[name=key]", event.target).value += ".";
  });

  // A PIN is shown at once to whoever has just sold it; the till puts it on record.
  const revealing = new Set();
  function autoReveal() {
    const form = find("[data-auto-reveal]");
    if (!form || revealing.has(form.action)) return;
    revealing.add(form.action);
    form.requestSubmit();
  }
  window.addEventListener("message", (event) => {
    if (event.origin === location.origin && event.data === "not-printed") sayNotPrinted(true);
  });

  /* Counting a drawer */

  document.addEventListener("input", (event) => {
    const form = event.target.matches("[data-micros]") && event.target.closest("[data-count]");
    if (form) showSum(form);
  });

  // The sum of each line and of all, of what was typed, never what the books expect.
  function showSum(form) {
    const money = moneyOf(form.dataset.count, form.dataset.decimals);
    let micros = 0;
    for (const field of all("[data-micros]", form)) {
      const pieces = typedSum(field.value, moneyOf("XXX", 0));
      const line = Number.isInteger(pieces) ? Number(field.dataset.micros) * pieces : 0;
      find("[data-pile-sum]", field.parentElement).textContent = line ? money.format(line / 1e6) : "";
      micros += line;
    }
    const sum = find("[data-sum]", form);
    sum.hidden = false;
    find("bdi", sum).textContent = money.format(micros / 1e6);
  }

  // Whether this browser may still work in its shift: it may have been closed on
  // another device.
  setInterval(async () => {
    const bar = find("#frozen");
    if (!bar || document.hidden || !bar.hidden) return;
    const answer = await fetch(bar.dataset.ask, { cache: "no-store" }).catch(() => null);
    if (answer?.status === 409) bar.hidden = false;
  }, 5000);

  /* Connection */

  let asking = null;
  const bar = () => find("#offline");

  function lost() {
    if (bar()) bar().hidden = false;
    asking ??= setInterval(() => fetch("/healthz", { cache: "no-store" }).then((r) => r.ok && back(), () => {}), 3000);
  }
  function back() {
    clearInterval(asking);
    asking = null;
    if (bar()) bar().hidden = true;
    // A stream that never began is not begun again by itself.
    if (find("#outcome[hx-sse\\:connect]") && !userIsBusy()) location.reload();
  }
  window.addEventListener("offline", lost);
  window.addEventListener("online", back);
  document.addEventListener("htmx:error", (event) => {
    release();
    if (event.detail.ctx && !event.detail.ctx.response) lost();
  });
  // A stream that is refused, not merely cut, tells that the page is out of
  // date: the session may have ended. One that is refused all the same, as by something
  // between us and the till, is not asked for over and over.
  document.addEventListener("htmx:sse:error", (event) => {
    if (event.detail.status >= 400 && event.detail.status < 500) setTimeout(() => location.reload(), 3000 - performance.now());
  });

  // Without a connection a receipt cannot be fetched: what the screen shows of
  // the sale is printed instead.
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#print") || !bar() || bar().hidden) return;
    event.preventDefault();
    window.print();
  });

  // What a figure of a picture is stands below the title while somebody points at it or
  // stands on it. A finger's first tap reads it; the second opens what is behind it.
  const says = (event) => {
    const figure = event.target.closest?.(".plot [aria-label]:not(svg)"), picture = figure?.closest(".picture");
    if (picture) find(".picture-says", picture).textContent = figure.getAttribute("aria-label");
    return figure;
  };
  let touched = null;
  for (const look of ["pointerover", "focusin"]) document.addEventListener(look, says);
  document.addEventListener("click", (event) => {
    const figure = event.pointerType === "touch" && says(event);
    if (figure && figure !== touched) event.preventDefault();
    touched = figure || null;
  }, true);

  // The page without a connection goes back to where the person wanted to be.
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-again]")) return;
    event.preventDefault();
    location.reload();
  });
  window.addEventListener("online", () => find("[data-offline]") && location.pathname !== "/offline" && location.reload());

  // The worker keeps what this page is made of, and a page without a connection
  // in its language.
  async function keepShell() {
    await navigator.serviceWorker.register("/worker.js");
    const files = all("script[src], link[rel=stylesheet], link[rel=icon]").map((el) => new URL(el.src || el.href).pathname);
    const name = ["airtill", document.documentElement.lang, ...files].join(" ");
    (await navigator.serviceWorker.ready).active.postMessage({ name, files, offline: "/offline" });
  }
  if ("serviceWorker" in navigator) window.addEventListener("load", () => keepShell().catch(() => {})); // without a worker the till works as well

  /* Pages */

  // An answer that is not what was asked for comes from something between us and
  // the till, or says that the session has ended: let the browser show it.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    const live = ctx.sourceElement?.id === "outcome";
    const wanted = live ? "outcome" : ctx.select === "#page" ? "page" : "";
    if (!wanted || ctx.text.includes(`id="${wanted}"`)) return;
    event.preventDefault();
    if (live) setTimeout(() => location.reload(), 3000);
    else location.assign(ctx.response?.raw.url || location.href);
  });

  // After an upgrade a page is made for another script and style than this document has, and the whole document is
  // loaded. Not the answer to a form, which has no address, nor while a number is typed ahead: the next page will do.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (event.defaultPrevented || ctx.select !== "#page" || typedAhead !== "") return;
    if (ctx.request.method.toUpperCase() !== "GET" && !ctx.response?.raw.redirected) return;
    const ours = all('head [src*="/app-"], head [href*="/app-"]').map((el) => el.getAttribute("src") || el.getAttribute("href"));
    if (ours.every((path) => ctx.text.includes(path))) return;
    event.preventDefault();
    location.assign(ctx.response?.raw.url || location.href);
  });

  // The language is the account's, which may have changed it on another device: a page brings its own.
  document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
    const [, lang, dir] = (ctx.select === "#page" && ctx.text.match(/<html lang="([^"]+)" dir="([^"]+)"/)) || [];
    if (lang) Object.assign(document.documentElement, { lang, dir });
  });

  let hadFocus = false;
  document.addEventListener("htmx:before:swap", () => { hadFocus = !focusIsLost(); });

  document.addEventListener("htmx:after:swap", (event) => {
    const live = find("#outcome")?.contains(event.target), page = event.detail.ctx?.select === "#page";
    if (live) changedAt = performance.now();
    if (page) {
      cameAt = performance.now();
      centreRows();
    }
    const waits = find("[data-when-free]");
    if (waits && !find("[data-elapsed]")) waits.inert = false;
    arrive(live || focusIsLost() && (page || hadFocus));
  });

  // What changes beside a person, as the tray does, leaves the focus where it is:
  // the next Enter must not press another button than the one they see. Nor does it
  // give one to who had none, and scroll away what they read.
  function focusIsLost() {
    return !document.activeElement || document.activeElement === document.body;
  }

  // A row of links that is too long is pushed aside until the one of this page is in sight.
  function centreRows() {
    for (const link of all(":is(.tabs, .chips) [aria-current]")) {
      const row = link.closest("nav"), a = link.getBoundingClientRect(), b = row.getBoundingClientRect();
      row.scrollLeft += a.left + a.width / 2 - b.left - b.width / 2;
    }
  }

  // arrive puts the focus where the next key belongs.
  function arrive(mayFocus = true) {
    for (const box of all("[data-filter][hidden]")) box.hidden = false;
    const field = find("#number");
    if (field && typedAhead) {
      const [number, entered] = typedAhead.split("\n");
      field.value = number;
      typedAhead = "";
      if (entered !== undefined) field.form.requestSubmit();
    }
    if (wantsSearch && visible(find("[data-search]"))) {
      wantsSearch = false;
      find("[data-search]").focus();
      return;
    }
    const place = find("[autofocus]") || find("[data-rest]") || find("[data-focus]");
    if (mayFocus && place && !userIsBusy()) focusOn(place);
    selectOnce(place);
    if (!navigator.onLine) lost();
    tick();
    autoReveal();
    autoPrint();
  }

  // The number one came back to is replaced by the next key, though the swap itself put
  // the focus there; once only, for news beside it come while one types.
  function selectOnce(place) {
    if (!place?.hasAttribute("data-select") || document.activeElement !== place) return;
    place.removeAttribute("data-select");
    place.select();
  }

  function focusOn(place) {
    place.focus({ preventScroll: true });
    const lies = place.getBoundingClientRect(), inSight = getComputedStyle(place).position === "sticky";
    if (!inSight && (lies.top < 0 || lies.bottom > innerHeight)) place.scrollIntoView({ block: "nearest" });
    if (typing(place) && place.type !== "password") place.setSelectionRange(place.value.length, place.value.length);
  }

  // A live change must not take the focus from someone who is typing.
  function userIsBusy() {
    return typing(document.activeElement) && document.activeElement.isConnected && document.activeElement.value !== "" && !document.activeElement.hasAttribute("autofocus");
  }

  // On the first page the browser itself minds autofocus, before this runs, and
  // whoever is quick is somewhere else by now.
  window.addEventListener("load", centreRows);
  window.addEventListener("load", () => arrive(document.activeElement === document.body || document.activeElement.hasAttribute("autofocus")));
})();
