// Shows the figures that the endpoint "live" sends once a second. Sets only text, never HTML, because names and errors come from outside.
const points = 120;
const $ = id => document.getElementById(id);

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// Changes only what differs: screen readers announce every change, and an element that stays keeps focus and selection.
function say(element, text, className) {
  if (element.textContent !== text) element.textContent = text;
  if (className !== undefined && element.className !== className) element.className = className;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const number = value => value === null || value === undefined ? '–' : whole.format(value);
const rate = value => value === null ? '–' : (value < 10 ? tenths : whole).format(value);

function bytes(value) {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  for (; value >= 1024 && unit < 3; unit++) value /= 1024;
  return `${(value < 10 && unit ? tenths : whole).format(value)} ${units[unit]}`;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds === 0) return '0 s';
  if (seconds < 0.01) return `${tenths.format(seconds * 1000)} ms`;
  if (seconds < 1) return `${whole.format(seconds * 1000)} ms`;
  if (seconds < 100) return `${(seconds < 10 ? tenths : whole).format(seconds)} s`;
  if (seconds < 6000) return `${whole.format(seconds / 60)} min`;
  if (seconds < 172800) return `${tenths.format(seconds / 3600)} h`;
  return `${whole.format(seconds / 86400)} days`;
}

// .NET writes a time as [days.]hours:minutes:seconds.
function secondsOf(text) {
  const parts = /^(?:(\d+)\.)?(\d+):(\d+):([\d.]+)$/.exec(text ?? '');
  return parts ? (+(parts[1] ?? 0) * 24 + +parts[2]) * 3600 + +parts[3] * 60 + +parts[4] : null;
}

// A refusal is a ProblemDetails.
const sentenceOf = async answer => answer.headers.get('content-type')?.startsWith('application/problem+json') ? (await answer.json()).detail : answer.text();

// ---- the figures of a journal and of a projection: key, label, text, value of the sparkline, level ----

const journalTiles = [
  ['permits', 'Permits used', j => `${number(j.permitsUsed)} of ${number(j.permitLimit)}`, j => j.permitsUsed, j => j.permitLimit > 0 && j.permitsUsed >= j.permitLimit ? 'warn' : ''],
  ['waiting', 'Queries waiting', j => number(j.queriesWaiting), j => j.queriesWaiting],
  ['following', 'Queries following', j => number(j.queriesFollowing), j => j.queriesFollowing],
  ['lagging', 'Queries lagging', j => number(j.queriesLagging), j => j.queriesLagging],
  ['statements', 'Statements/s', j => rate(j.statementsPerSecond), j => j.statementsPerSecond],
  ['events', 'Events/s', j => rate(j.eventsPerSecond), j => j.eventsPerSecond],
  ['time', 'Time of a statement', j => times(j.statementDuration), j => j.statementDuration?.median ?? null],
  ['wait', 'Wait for a permit', j => times(j.permitWait), j => j.permitWait?.median ?? null],
  ['mark', 'High-water mark', j => number(j.highWaterMark), null],
  ['gaps', 'Gaps', j => number(j.gaps) + (j.stalledSeconds >= 1 ? `, stalled for ${duration(Math.floor(j.stalledSeconds))}` : ''), j => j.gaps, j => isStalled(j) ? 'bad' : ''],
  ['rewound', 'Went back', j => j.rewoundFrom === null ? 'never' : `${duration(Math.floor(j.rewoundSecondsAgo))} ago, from ${number(j.rewoundFrom)}`, null, j => hasRewound(j) ? 'bad' : ''],
  ['broken', 'Broken sessions', j => number(j.brokenSessions), j => j.brokenSessions, j => j.brokenSessions ? 'warn' : ''],
  ['retries', 'Retries/s', j => rate(j.retriesPerSecond), j => j.retriesPerSecond, j => j.retriesPerSecond ? 'warn' : ''],
  ['memory', 'Rows in memory', j => bytes(j.bufferedBytes), j => j.bufferedBytes],
];

const times = durations => durations ? `${duration(durations.median)} / ${duration(durations.p99)}` : '–';

const projectionTiles = [
  ['lag', 'Lag, events', p => number(p.lagEvents), p => p.lagEvents],
  ['behind', 'Lag, time', p => duration(secondsOf(p.lag)), p => secondsOf(p.lag)],
  ['rate', 'Events/s', p => rate(p.eventsPerSecond), p => p.eventsPerSecond],
  ['left', 'Time left', p => duration(secondsOf(p.timeLeft)), null],
  ['offset', 'Offset', p => number(p.offset), null],
  ['end', 'Journal end', p => number(p.journalEnd), null],
  ['running', 'Lanes that run', p => `${number(running(p))} of ${number(p.lanes.length)}`, p => running(p), p => p.role !== 'retired' && !p.isPaused && running(p) < p.lanes.length ? 'warn' : ''],
  ['dead', 'Dead letters', p => number(p.deadLetters), p => p.deadLetters, p => p.deadLetters ? 'bad' : ''],
  ['unhandled', 'Unhandled events', p => `${number(p.unhandledEvents)} of ${number(p.events)}`, null, p => p.events > 0 && p.unhandledEvents === p.events ? 'bad' : ''],
  ['commands', 'Waiting commands', p => number(p.waitingCommands), null],
];

const running = p => p.lanes.filter(lane => lane.state === 'running' || lane.state === 'retrying').length;

const breakers = {
  closed: ['can be read', 'good'], open: ['cannot be read', 'bad'], half_open: ['cannot be read; a probe runs', 'bad'], unknown: ['not read yet', ''],
};

function stateOf(p) {
  if (p.role === 'retired') return ['retired', ''];
  if (p.lanes.some(lane => lane.state === 'failed')) return ['lanes failed', 'bad'];
  if (p.isPaused) return ['paused', 'warn'];
  if (p.lanes.some(lane => !lane.owner)) return ['lanes without a process', 'warn'];
  if (p.lagEvents === null) return ['lag unknown', 'warn'];
  return p.lagEvents === 0 ? ['caught up', 'good'] : ['behind', ''];
}

const nameOf = item => item.version && item.version !== item.name ? `${item.name}, version ${item.version}` : item.name;
const titleOf = j => `${j.name || 'journal'}${j.shard === null ? '' : `, shard ${j.shard}`}${j.instance === null ? '' : `, reader ${j.instance}`}`;
const hasRewound = j => j.rewoundFrom !== null && j.rewoundSecondsAgo < 3600;
const isStalled = j => j.stalledSeconds > j.gapTimeoutSeconds;

// These texts have no figures that change each second. Otherwise the list would flicker.
function problemsOf(status) {
  const problems = [];
  for (const j of status.journals) {
    const journal = `Journal ${titleOf(j)}`;
    if (j.circuitBreaker === 'open' || j.circuitBreaker === 'half_open') problems.push(['bad', `${journal} cannot be read. Queries wait until its database answers.`]);
    else if (isStalled(j)) problems.push(['bad', `${journal}: a gap or an open transaction has stalled the high-water mark. Queries by tag, by slices and of all events wait.`]);
    if (hasRewound(j)) problems.push(['bad', `${journal} went back from ordering ${number(j.rewoundFrom)}: it was restored or truncated, or has lost events. All its queries ended.`]);
    if (j.brokenSessions) problems.push(['warn', `${journal}: broken sessions hold permits until the server has ended their statements.`]);
    if (j.permitLimit > 0 && j.permitsUsed >= j.permitLimit && j.queriesWaiting > 0) problems.push(['warn', `${journal}: all permits are used, and queries wait.`]);
  }
  status.readModels.forEach(readModel => readModel.projections.filter(p => p.role !== 'retired').forEach(p => {
    const projection = `Projection ${nameOf(p)}`;
    const failed = p.lanes.filter(lane => lane.state === 'failed');
    if (failed.length) problems.push(['bad', `${projection}: stopped lanes: ${failed.map(lane => lane.lane).join(', ')}. The error is below.`]);
    if (p.deadLetters) problems.push(['bad', `${projection} has dead letters: ${number(p.deadLetters)}.`]);
    if (p.isPaused) problems.push(['warn', `${projection} is paused.`]);
    else if (p.lagEvents === null) problems.push(['warn', `${projection}: no process has seen the journal end in the last 15 s, so its lag is unknown.`]);
    else if (p.lanes.some(lane => lane.owner === null)) problems.push(['warn', `${projection}: some lanes are run by no process.`]);
  }));
  return problems;
}

// ---- elements ----

class Sparkline {
  constructor() {
    const svg = name => document.createElementNS('http://www.w3.org/2000/svg', name);
    this.element = svg('svg');
    this.element.setAttribute('viewBox', `0 0 ${points - 1} 24`);
    this.element.setAttribute('preserveAspectRatio', 'none');
    this.element.setAttribute('aria-hidden', 'true');
    this.element.append(this.area = svg('polygon'), this.curve = svg('polyline'));
    this.values = [];
  }

  add(value) {
    this.values.push(value);
    if (this.values.length > points) this.values.shift();
    const most = Math.max(1e-9, ...this.values.filter(each => each !== null));
    const first = points - this.values.length;
    const at = this.values.map((each, i) => each === null ? null : `${first + i},${(23 - each / most * 21).toFixed(1)}`).filter(each => each);
    this.curve.setAttribute('points', at.join(' '));
    this.area.setAttribute('points', at.length ? `${at[0].split(',')[0]},24 ${at.join(' ')} ${at.at(-1).split(',')[0]},24` : '');
  }
}

class Card {
  constructor(title, tiles) {
    this.badges = make('span', { className: 'head' });
    this.actions = make('div', { className: 'actions' });
    this.list = make('dl');
    this.tiles = tiles.map(([key, label, text, value, level]) => {
      const shown = make('span');
      const line = value ? new Sparkline() : null;
      const figure = make('dd', {}, shown, ...(line ? [line.element] : []));
      figure.dataset.key = key;
      this.list.append(make('div', {}, make('dt', { textContent: label }), figure));
      return { figure, shown, line, text, value, level };
    });
    this.element = make('article', { className: 'card' }, make('div', { className: 'head' }, make('h3', { textContent: title }), this.badges, this.actions), this.list);
  }

  show(item, ...badges) {
    while (this.badges.children.length < badges.length) this.badges.append(make('span'));
    [...this.badges.children].forEach((each, i) => {
      each.hidden = i >= badges.length;
      if (i < badges.length) say(each, badges[i][0], `badge ${badges[i][1]}`.trim());
    });
    for (const tile of this.tiles) {
      say(tile.shown, tile.text(item));
      tile.figure.className = tile.level?.(item) || '';
      tile.line?.add(tile.value(item));
    }
  }
}

class JournalCard extends Card {
  constructor(item) { super(titleOf(item), journalTiles); }

  show(item) { super.show(item, breakers[item.circuitBreaker] ?? [item.circuitBreaker, '']); }
}

class ProjectionCard extends Card {
  constructor(item) {
    super(nameOf(item), projectionTiles);
    this.said = make('p', { className: 'said', role: 'status' });
    this.error = make('p', { className: 'error', hidden: true });
    this.lanes = make('tbody');
    this.lanesTitle = make('summary');
    this.lanesDetails = details(this.lanesTitle, table(`Lanes of ${nameOf(item)}`, ['Lane', 'Slices', 'State', 'Events/s', 'Owner', 'Error'], this.lanes, [3]));
    this.lanesDetails.addEventListener('toggle', () => this.showLanes(this.item.lanes));
    this.letters = make('tbody');
    this.lettersTitle = make('summary');
    this.lettersDetails = details(this.lettersTitle, table(`Dead letters of ${nameOf(item)}`, ['Persistence id', 'Event', 'Ordering', 'Attempts', 'Error', ''], this.letters, [1, 2, 3]));
    this.lettersDetails.addEventListener('toggle', () => this.lettersDetails.open && this.readLetters());
    this.element.append(this.said, this.error, this.lanesDetails, this.lettersDetails);
    if (allowsCommands) {
      this.pause = make('button', { type: 'button' });
      this.pause.onclick = () => this.command(this.item.isPaused || this.hasFailed ? 'resume' : 'pause');
      this.retry = make('button', { type: 'button', textContent: 'Retry dead letters' });
      this.retry.onclick = () => this.command('retry');
      this.actions.append(this.pause, this.retry);
    }
  }

  show(item) {
    this.item = item;
    this.hasFailed = item.lanes.some(lane => lane.state === 'failed');
    super.show(item, [item.role, ''], stateOf(item), [`source: ${item.source}`, '']);
    const last = item.lanes.find(lane => lane.state === 'failed') ?? item.lanes.find(lane => lane.error);
    this.error.hidden = !last;
    if (last) say(this.error, `Lane ${last.lane}: ${last.error ?? 'failed'}`);
    say(this.lanesTitle, `Lanes: ${number(item.lanes.length)}`);
    this.showLanes(item.lanes);
    this.lettersDetails.hidden = item.deadLetters === 0;
    say(this.lettersTitle, `Dead letters: ${number(item.deadLetters)}`);
    if (!this.pause) return;
    this.pause.hidden = item.role === 'retired';
    this.retry.hidden = item.role === 'retired' || item.deadLetters === 0;
    say(this.pause, item.isPaused || this.hasFailed ? 'Resume' : 'Pause');
    this.pause.setAttribute('aria-label', `${this.pause.textContent} ${nameOf(item)}`);
    this.retry.setAttribute('aria-label', `Retry dead letters of ${nameOf(item)}`);
  }

  showLanes(lanes) {
    if (!this.lanesDetails.open) return;
    while (this.lanes.children.length > lanes.length) this.lanes.lastChild.remove();
    lanes.forEach((lane, i) => {
      const row = this.lanes.children[i] ?? this.lanes.appendChild(cells(6, [3], [5]));
      row.className = lane.state === 'failed' ? 'bad' : lane.error ? 'warn' : '';
      [lane.lane, `${lane.firstSlice}–${lane.lastSlice}`, lane.state, rate(lane.eventsPerSecond), lane.owner ?? 'no process', lane.error ?? '']
        .forEach((text, cell) => say(row.children[cell], `${text}`));
    });
  }

  async readLetters() {
    const query = new URLSearchParams({ readModel: this.item.readModel, projection: this.item.name, version: this.item.version });
    const answer = await fetch(`dead-letters?${query}`);
    if (!answer.ok) return say(this.said, await sentenceOf(answer));
    this.letters.replaceChildren(...(await answer.json()).map(letter => {
      const row = cells(6, [1, 2, 3], [4]);
      [letter.persistenceId, letter.sequenceNumber, letter.ordering, letter.attempts, letter.error ?? 'queues behind the one that failed']
        .forEach((text, cell) => say(row.children[cell], `${text}`));
      if (allowsCommands && letter.error) {
        const retry = make('button', { type: 'button', textContent: 'Retry' });
        retry.setAttribute('aria-label', `Retry dead letters of ${letter.persistenceId}`);
        retry.onclick = () => this.command('retry', letter.persistenceId);
        row.children[5].append(retry);
      }
      return row;
    }));
  }

  async command(verb, persistenceId = null) {
    if (this.isBusy) return;
    this.isBusy = true;
    say(this.said, 'The command runs…');
    try {
      const tokens = await (await fetch('commands')).json();
      const answer = await fetch('commands', {
        method: 'POST',
        headers: { 'content-type': 'application/json', [tokens.header]: tokens.token },
        body: JSON.stringify({ readModel: this.item.readModel, projection: this.item.name, version: this.item.version, verb, persistenceId }),
      });
      say(this.said, await sentenceOf(answer));
    } catch (error) {
      say(this.said, `The command could not be sent: ${error.message}`);
    }
    this.isBusy = false;
    if (this.lettersDetails.open) this.readLetters();
  }
}

const details = (title, content) => make('details', {}, title, content);

function table(caption, titles, body, numbers) {
  const head = make('tr', {}, ...titles.map((title, i) =>
    title ? make('th', { textContent: title, scope: 'col', className: numbers.includes(i) ? 'number' : '' }) : make('td')));
  const area = make('div', { className: 'scroll', tabIndex: 0 }, make('table', {}, make('caption', { textContent: caption }), make('thead', {}, head), body));
  area.setAttribute('role', 'region');
  area.setAttribute('aria-label', caption);
  return area;
}

const cells = (count, numbers, wide) => make('tr', {}, ...Array.from({ length: count }, (_, i) =>
  make('td', { className: numbers.includes(i) ? 'number' : wide.includes(i) ? 'wide' : '' })));

// ---- the whole page ----

const cards = new Map();
let allowsCommands = false;

function showCards(place, items, keyOf, create) {
  const shown = new Set(items.map(keyOf));
  for (const child of [...place.children]) {
    if (shown.has(child.dataset.key)) continue;
    cards.delete(child.dataset.key);
    child.remove();
  }
  items.forEach((item, i) => {
    const key = keyOf(item);
    if (!cards.has(key)) {
      const card = create(item);
      card.element.dataset.key = key;
      place.insertBefore(card.element, place.children[i] ?? null);
      cards.set(key, card);
    }
    cards.get(key).show(item);
  });
}

function showList(place, texts) {
  while (place.children.length > texts.length) place.lastChild.remove();
  texts.forEach(([level, text], i) => say(place.children[i] ?? place.appendChild(make('li')), text, level));
}

function show(status) {
  allowsCommands = status.allowsCommands;
  say($('where'), `${status.application} on ${status.host}`);
  const problems = problemsOf(status);
  say($('verdict'), problems.length ? `Needs attention: ${problems.length}` : 'Nothing needs attention.', problems.length ? 'bad' : 'good');
  showList($('problems'), problems);
  document.title = `${problems.length ? `(${problems.length}) ` : ''}Throttled, ${status.application}`;

  showCards($('journals'), status.journals, j => `j ${titleOf(j)}`, j => new JournalCard(j));
  $('no-journals').hidden = status.journals.length > 0;

  const projections = status.readModels.flatMap((readModel, i) => readModel.projections.map(p => ({ ...p, readModel: i })));
  showCards($('projections'), projections, p => `p ${p.readModel} ${p.name} ${p.version}`, p => new ProjectionCard(p));
  const unread = status.readModels.filter(readModel => readModel.error).map(readModel => ['bad', readModel.error]);
  showList($('unread'), unread);
  $('no-projections').hidden = projections.length > 0 || unread.length > 0;
}

let source = null;
let isFrozen = false;
let lastAt = 0;

function connect() {
  source?.close();
  source = new EventSource('live');
  source.onmessage = message => {
    lastAt = performance.now();
    say($('connection'), 'Live', 'live');
    show(JSON.parse(message.data));
  };
  source.onerror = () => {
    say($('connection'), 'No connection to the application; trying again', 'lost');
    // After a response such as 403, the browser does not connect again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => source?.readyState === EventSource.CLOSED && connect(), 5000);
  };
}

function disconnect(text) {
  source?.close();
  source = null;
  say($('connection'), text, '');
}

// A page in the background closes its stream, so it costs the application nothing.
document.addEventListener('visibilitychange', () => {
  if (!isFrozen) document.hidden ? disconnect('Not shown') : connect();
});

$('freeze').onclick = () => {
  isFrozen = !isFrozen;
  $('freeze').setAttribute('aria-pressed', isFrozen);
  isFrozen ? disconnect('Frozen') : connect();
};

setInterval(() => {
  if (source?.readyState === EventSource.OPEN && lastAt && performance.now() - lastAt > 5000) say($('connection'), 'The application has sent nothing for 5 s', 'lost');
}, 1000);

connect();
