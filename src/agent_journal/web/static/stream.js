// What is new in the journal, told to all open tabs: one of them holds the stream.
const ADDRESS = "/api/1/events";
const AGAIN = 2000; // milliseconds until the next try, when the browser has given up
const channel = new BroadcastChannel("aj");

const catalog = (position) => position.slice(0, position.lastIndexOf("-"));
const number = (position) => Number(position.slice(position.lastIndexOf("-") + 1));

// `show` gets the sessions that changed, or null when everything may have; `tell` gets the state of the server.
export function follow(start, show, tell) {
  let position = start;
  let isLeading = false;
  let isCatchingUp = false;

  function take(changes) {
    if (!changes.is_whole || catalog(changes.position) !== catalog(position)) {
      if (changes.position === position) return;
      position = changes.position;
      show(null);
      return;
    }
    if (number(changes.position) <= number(position)) return; // seen
    if (number(changes.after) > number(position)) {
      catchUp(); // something in between was not heard
      return;
    }
    position = changes.position;
    show(changes.items);
  }

  async function catchUp() {
    if (isCatchingUp) return;
    isCatchingUp = true;
    try {
      const answer = await fetch(`${ADDRESS}?after=${encodeURIComponent(position)}`);
      if (answer.ok) take(await answer.json());
    } finally {
      isCatchingUp = false;
    }
  }

  function share(message) {
    channel.postMessage(message);
    receive(message);
  }

  function receive(message) {
    if (message.changes) take(message.changes);
    if (message.status) tell(message.status);
    if (message.hello && isLeading) channel.postMessage({ at: position });
    if (message.at && message.at !== position && number(message.at) > number(position)) catchUp().catch(() => {});
  }

  function listen() {
    const source = new EventSource(`${ADDRESS}?after=${encodeURIComponent(position)}`);
    source.addEventListener("changes", (event) => share({ changes: JSON.parse(event.data) }));
    source.addEventListener("status", (event) => share({ status: JSON.parse(event.data) }));
    source.addEventListener("error", () => {
      share({ status: { kind: "away", text: "The server does not answer." } });
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN);
    });
  }

  channel.addEventListener("message", (event) => receive(event.data));
  channel.postMessage({ hello: true });
  // The lock is held as long as this tab is open; then the next one gets it.
  navigator.locks.request("aj-stream", () => new Promise(() => {
    isLeading = true;
    listen();
  }));
}
