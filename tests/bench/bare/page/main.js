// One text node, which holds the newest message.
const text = document.createTextNode("");
document.getElementById("frame").append(text);
const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
const id = transformCallback((sent) => {
  if ("message" in sent) {
    text.data = JSON.stringify(sent.message);
  }
});
invoke("rig_subscribe", { channel: `__CHANNEL__:${id}` });
