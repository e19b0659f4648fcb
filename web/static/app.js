// What makes the till quick: keys, focus, seconds, filters. Every page works
// without this file. All listeners stand on the document, so a page that htmx
// swaps in needs no setting up.
(() => {
  "use strict";

  const scannerPause = 400; // ms in which a second Enter is a scanner's, not a person's
  const fingerPause = 300; // ms after a live change in which a tap meant what was there before
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const visible = (el) => el && el.checkVisibility();
  const typing = (el) => el instanceof HTMLInputElement && !["radio", "checkbox", "button", "submit"].includes(el.type);

  /* Keys */

  let lastEnter = -Infinity;
  let typedAhead = ""; // digits of the next number, typed before its field is there

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter") return onEnter(event);
    lastEnter = -Infinity;
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    action();
  });

  // A scanner ends its code with one Enter or two; the second would confirm what
  // nobody has read yet. The same goes for a key that is held down.
  function onEnter(event) {
    if (event.repeat || event.timeStamp - lastEnter < scannerPause) event.preventDefault();
    lastEnter = event.timeStamp;
  }

  function keyAction(event) {
    const { key, target } = event;
    if (key === "Escape") return stepBack(target);
    if (key.startsWith("Arrow")) return moveTo(key, target);
    if (typing(target) && target.value !== "") return null;
    if (key === "?") return () => find("#keys")?.togglePopover();
    if (typing(target)) return null;
    if (key === "/" && visible(find("[data-search]"))) return () => find("[data-search]").focus();
    const chosen = all(`[data-key="${CSS.escape(key.toLowerCase())}"]`).find(visible);
    if (chosen) return () => choose(chosen);
    return nextNumber(key);
  }

  function choose(el) {
    el.focus();
    el.click();
  }

  function stepBack(target) {
    if (find(":popover-open")) return null;
    if (typing(target) && target.value !== "" && !target.closest(".details")) {
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
    if (typedAhead !== "") return () => { typedAhead += key; };
    const next = find("[data-next-sale]");
    if (!visible(next) || !screenIsFree()) return null;
    return () => {
      typedAhead = key;
      next.click();
    };
  }

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
  document.addEventListener("htmx:finally:request", release);
  window.addEventListener("pageshow", release);

  let pressedAt = 0;
  let changedAt = -Infinity;
  document.addEventListener("pointerdown", (event) => { pressedAt = event.timeStamp; }, true);
  document.addEventListener("click", (event) => {
    const meantTheOld = event.detail > 0 && pressedAt < changedAt + fingerPause && event.timeStamp > changedAt;
    if (!meantTheOld || !event.target.closest("#outcome")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

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

  // Numbers are written with the digits that the server uses.
  function write(el, number, zero) {
    const text = String(number).replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0) + Number(digit)));
    const full = el.textContent.replace(/\p{Nd}+/u, text);
    if (full !== el.textContent) el.textContent = full;
  }

  function tick() {
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
    find("[data-freed]", clock).hidden = false;
    const next = find("[data-next-sale]");
    next.classList.add("primary");
    if (!document.activeElement.closest("#outcome")) next.focus();
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
    const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    for (const card of all(".card", list)) {
      card.searchText ??= all(":scope > :not(kbd)", card).map((part) => part.textContent).join(" ").toLocaleLowerCase();
      card.hidden = !words.every((word) => card.searchText.includes(word));
    }
    for (const group of all("[data-filter-group]", list)) group.hidden = !find(".card:not([hidden])", group);
    const form = list.closest("form");
    for (const part of all("[data-unfiltered]", form)) part.hidden = words.length > 0;
    const empty = find(`[data-filter-empty="${box.dataset.filter}"]`);
    if (empty) empty.hidden = find(".card:not([hidden])", list) !== null;
    all(".card:not([hidden])", form).filter((card) => !card.closest("[hidden]")).forEach(number);
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
  }
  window.addEventListener("offline", lost);
  window.addEventListener("online", back);
  document.addEventListener("htmx:error", (event) => {
    release();
    if (event.detail.ctx && !event.detail.ctx.response) lost();
  });
  // A stream that is refused, not merely cut, tells that the page is out of
  // date: the session may have ended.
  document.addEventListener("htmx:sse:error", (event) => {
    if (event.detail.status >= 400 && event.detail.status < 500) location.reload();
  });

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

  document.addEventListener("htmx:after:swap", (event) => {
    if (find("#outcome")?.contains(event.target)) changedAt = performance.now();
    arrive();
  });

  // arrive puts the focus where the next key belongs.
  function arrive() {
    release();
    for (const box of all("[data-filter][hidden]")) box.hidden = false;
    const field = find("#number");
    if (field && typedAhead) {
      field.value = typedAhead;
      typedAhead = "";
    }
    const place = find("[autofocus]") || find("[data-rest]") || find("[data-focus]");
    if (place && !userIsBusy()) focusOn(place);
    if (!navigator.onLine) lost();
    tick();
  }

  function focusOn(place) {
    place.focus({ preventScroll: place.matches("[data-focus]") });
    if (typing(place) && place.type !== "password") place.setSelectionRange(place.value.length, place.value.length);
  }

  // A live change must not take the focus from someone who is typing.
  function userIsBusy() {
    return typing(document.activeElement) && document.activeElement.isConnected && document.activeElement.value !== "" && !document.activeElement.hasAttribute("autofocus");
  }

  // On the first page the browser itself minds autofocus, before this runs.
  window.addEventListener("load", arrive);
})();
