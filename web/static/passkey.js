// Passkeys: a form asks for what is to be signed, has the person's device sign it, and sends
// the answer as any form does. Where a browser knows no passkeys the forms stay hidden.
(() => {
  "use strict";

  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  document.documentElement.setAttribute("data-passkeys", "");

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-challenge]");
    if (!form || event.defaultPrevented) return;
    event.preventDefault();
    if (!form.hasAttribute("data-busy")) ask(form);
  });

  async function ask(form) {
    const failed = form.querySelector("[data-failed]");
    failed.hidden = true;
    form.setAttribute("data-busy", "");
    try {
      const answer = await fetch(form.dataset.challenge, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      // The page that says why not is the answer to the form without a signature.
      if (answer.ok) form.elements.answer.value = JSON.stringify(await sign(await answer.json()));
      form.submit();
    } catch {
      failed.hidden = false;
      form.removeAttribute("data-busy");
    }
  }

  // Without a user it is for a passkey that is there.
  async function sign({ publicKey }) {
    const made = publicKey.user
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
    return made.toJSON();
  }
})();
