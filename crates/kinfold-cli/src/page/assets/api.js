// Talks to the server. The token comes in the address once and is kept for this tab only.

const given = location.hash.slice(1);
if (/^[0-9a-f]{32}$/.test(given)) {
  sessionStorage.setItem("token", given);
  // Out of the address bar, so that nobody copies it by accident.
  history.replaceState(history.state, "", "/");
}

export const STOPPED = {
  what: "The server has stopped",
  hint: "Start kinfold serve again in its folder, and open the address that it prints",
  gone: true,
};

/** Asks the server; what goes wrong is thrown as { what, hint, mistakes }. */
export async function ask(method, path, body, { raw = false, signal } = {}) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` };
  const json = body !== undefined && !(body instanceof Blob) && typeof body !== "string";
  if (json) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: json ? JSON.stringify(body) : body, redirect: "error" });
  } catch (error) {
    throw error.name === "AbortError" ? error : STOPPED;
  }
  if (raw && response.ok) return response;
  const text = await response.text();
  let answer = null;
  try { answer = text ? JSON.parse(text) : null; } catch { /* told below */ }
  if (response.ok) return answer;
  throw { ...(answer?.error ?? { what: text || `the server said ${response.status}`, hint: "reload the page" }), status: response.status };
}

/** Runs a job of a session. `news` hears how far it is. The promise is its result. */
export function job(session, settings, news = () => {}) {
  const path = `/api/sessions/${session}/jobs`;
  const stopping = new AbortController();
  let over = false;
  const started = settings.number ? Promise.resolve(settings) : ask("POST", path, settings);
  const work = async () => {
    const { number } = await started;
    let seen = 0;
    for (;;) {
      const query = `number=${number}&seen=${seen}`;
      const state = await ask("GET", `${path}/${settings.kind}?${query}`, undefined, { signal: stopping.signal });
      // A newer job of this kind has taken its place.
      if (state.number !== number) throw new DOMException("replaced", "AbortError");
      seen = state.revision;
      if (state.stage === "done") return state.result;
      if (state.stage === "failed") throw state.error;
      news(state);
    }
  };
  const result = work().finally(() => { over = true; });
  const stop = () => {
    if (over) return;
    stopping.abort();
    started.then(({ number }) => ask("DELETE", `${path}/${settings.kind}?number=${number}`)).catch(() => {});
  };
  return { result, stop };
}

export const stopped = (error) => error?.name === "AbortError" || error?.stopped;

/** Hands a file to the user. */
export async function download(path, name) {
  const response = await ask("GET", path, undefined, { raw: true });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
