/** English texts of the rewrite rules of a site and their test. */
export const rules = {
  back: 'Domains',
  title: (name: string) => `Rewrite rules of ${name}`,
  lead: 'The .htaccess of the document root, and what it makes of an address. A test takes the text as it stands here, saved or not; nothing of the site is run.',
  file: 'Rules of the document root',
  saved: (name: string) => `Rules of ${name} saved`,
  fault: (reason: string) => `Not saved, because it would close the site with 500: ${reason}`,
  test: 'Test an address',
  url: 'Address',
  urlHelp: 'A path such as /old/page?a=1, or a whole address of the site',
  more: 'Method, browser and cookies',
  method: 'Method',
  agent: 'Browser (User-Agent)',
  cookie: 'Cookies',
  cookieHelp: 'As in theme=dark; seen=1',
  run: 'Test',
  result: 'What happens',
  goTo: (line: number) => `Go to line ${line}`,
  sees: (text: string) => `Sees “${text}”`,
  is: (text: string) => `(is “${text}”)`,
  notAsked: 'not asked',
  sets: {
    variable: (text: string) => `Sets the variable ${text}`,
    cookie: (text: string) => `Sets the cookie ${text}`,
  },
  outcomes: {
    script: (file: string, query: string | null) =>
      `The script ${file} answers${query === null ? '' : `, with ${query}`}`,
    application: (address: string) => `The application answers ${address}`,
    file: (status: number, file: string) => `${status}: the file ${file}`,
    listing: '200: the names in the folder',
    redirect: (status: number, location: string) => `${status}: leads to ${location}`,
    status: (status: number, file: string | null) =>
      `${status}${file === null ? '' : `, with the page ${file}`}`,
  },
  steps: {
    entrance: (status: number, location: string | null) =>
      `Before the site: ${status}${location === null ? '' : `, leads to ${location}`}`,
    held: 'Not answered for a while, because it held up other sites',
    guard: (name: string, status: number, location: string | null) =>
      `A setting of the site answers (${name}): ${status}${location === null ? '' : `, leads to ${location}`}`,
    guards: {
      deny: 'refused addresses',
      allow: 'only for some addresses',
      www: 'name with www.',
      maintenance: 'maintenance',
      'rate-limit': 'requests of one address',
      redirect: 'redirects',
      password: 'passwords',
      hotlink: 'pictures on other sites',
    } as Record<string, string>,
    own: 'Rules of the server’s configuration',
    address: (address: string, sources: string[]) =>
      sources.length === 0
        ? `${address}: no rules are for it`
        : `${address}: rules of ${sources.join(', ')}`,
    unreadable: (source: string, reason: string) =>
      `${source} closes what lies below it: ${reason}`,
    unknown: (source: string, names: string[]) =>
      `${source}: left out, because not known: ${names.join(', ')}`,
    holds: 'holds',
    holdsNot: 'does not hold',
    applied: (address: string) => `Matches; the address is ${address}.`,
    passed: {
      pattern: 'Passed over: the pattern does not match',
      conditions: 'Passed over: its conditions do not hold',
      chain: 'Not asked: a rule before it in the chain did not match',
      skip: 'Not asked: skipped',
      inner: 'Not asked: not for requests inside the server',
    },
    ends: {
      last: 'The last rule of this round.',
      end: 'It ends all rewriting.',
      redirect: 'It redirects.',
      status: 'It answers with its status.',
      forbidden: 'It answers 403.',
      proxy: 'It would pass on to another server, which sites may not: 403.',
      gone: 'It answers 410.',
      refused: 'The address holds what it must not: 403.',
      next: 'It begins anew with the first rule.',
      skip: 'It skips the next rules.',
    },
    off: 'RewriteEngine is off: no rule is asked',
    over: 'A rule ended all rewriting: no further one is asked',
    redirect: (status: number, location: string | null) =>
      `Is for this path: ${status}${location === null ? '' : `, leads to ${location}`}`,
    shutOut: (status: number) => `Who asks is shut out: ${status}`,
    onward: {
      rules: (address: string) => `Goes on with ${address}`,
      index: (address: string) => `The folder’s index: ${address}`,
      'stand-in': (address: string) => `Nothing is there; in its place: ${address}`,
    },
    ended: {
      hidden: 'A hidden file, which nobody sees: 404',
      'too-deep': 'A path with too many parts: 404',
      'bad-address': 'The rules made an address that leaves the site: 400',
      rounds: 'The rules lead on more than ten times: 500',
      steps: 'The rules take too many steps for one request: 500',
      rules: 'More rules were looked at than one list may have: 500',
    },
    cut: 'More than can be shown here',
  },
}
