import type { Report } from '../report.ts'
import type { Directive } from '../types.ts'

/** What becomes of a parameter: carried over, told elsewhere with what it is about, not missed, or missed. */
type Fate = 'kept' | 'unneeded' | 'lost'

const POOL =
  'Connections to an application are kept and shared by each worker ([virtualhost.proxy] keepalive_connections says how many).'
const AT_ONCE = 'What an application answers is passed on as it comes.'
const ALONE =
  'A server that takes no connection is left alone, for a second at first and twice as long each time ([virtualhost.proxy] back_off_secs), and another one is asked.'
const ASKED =
  'Servers are asked whether they are well by [virtualhost.proxy] health_path and health_interval_secs, two answers in a row counting; write these yourself.'
const STAYING = 'See what is said of visitors who stay at one server.'
const NO_STAYING = 'It only says how visitors stay at one server, and they do not.'
const CHANGING =
  'The servers of an application are those of the configuration; there is no page to change them.'

/**
 * Every parameter of a server, of a balancer, and of `ProxyPass` that Apache documents (mod_proxy,
 * mod_proxy_balancer, mod_proxy_hcheck), and what becomes of it.
 */
export const PROXY_PARAMETERS: ReadonlyMap<string, readonly [Fate, string]> = new Map(
  (
    [
      ['kept', 'As the time that an answer may take.', 'timeout'],
      ['kept', 'As the weight, and by whether it is asked at all.', 'loadfactor status'],
      ['kept', STAYING, 'stickysession route lbmethod'],
      ['kept', 'WebSockets are passed on.', 'upgrade'],
      ['unneeded', POOL, 'min smax ttl disablereuse enablereuse keepalive addressttl'],
      ['unneeded', AT_ONCE, 'flushpackets flushwait flusher iobuffersize receivebuffersize'],
      ['unneeded', ALONE, 'retry ping forcerecovery maxattempts'],
      ['unneeded', NO_STAYING, 'stickysessionsep scolonpathdelim redirect nofailover'],
      ['unneeded', CHANGING, 'nonce growth'],
      ['unneeded', 'Heads of answers may be as large as Berth takes them.', 'responsefieldsize'],
      ['unneeded', 'Paths are passed on as they came.', 'nocanon mapping'],
      ['lost', 'Write it yourself: [virtualhost.proxy] connect_timeout_secs.', 'connectiontimeout'],
      ['lost', 'An application gets as many requests at once as there are.', 'max acquire'],
      [
        'lost',
        'All of the servers are asked; those of another set would be asked for need alone.',
        'lbset',
      ],
      [
        'lost',
        'A server is left alone for its connections, not for what it answers.',
        'failonstatus failontimeout',
      ],
      ['lost', ASKED, 'hcmethod hcpasses hcfails hcinterval hcuri hctemplate hcexpr'],
      ['lost', 'AJP is not spoken.', 'secret'],
      ['lost', 'Variables in addresses stay as they are written.', 'interpolate'],
      ['lost', 'The query of a request goes with it.', 'noquery'],
    ] as const
  ).flatMap(([fate, reason, names]) =>
    names.split(' ').map((name) => [name, [fate, reason] as const] as const),
  ),
)

const nameOf = (arg: string): string => (/^[a-z]+/i.exec(arg)?.[0] ?? arg).toLowerCase()

/**
 * Tells what becomes of the parameters of a `ProxyPass`, a `BalancerMember` or a `ProxySet`: of
 * several for one reason at once, and of one that nobody knows that it is not kept.
 *
 * @param args without the path and the address
 */
export const tellParameters = (
  directive: Directive,
  args: readonly string[],
  report: Report,
): void => {
  const told = new Map<string, { fate: Fate; reason: string; names: string[] }>()
  for (const arg of args) {
    const name = nameOf(arg)
    const [fate, reason] = PROXY_PARAMETERS.get(name) ?? ['lost', 'It has no counterpart.']
    const one = told.get(reason) ?? { fate, reason, names: [] }
    told.set(reason, one)
    if (!one.names.includes(name)) one.names.push(name)
  }
  for (const { fate, reason, names } of told.values()) {
    const text = `${names.join(', ')}: ${reason}`
    if (fate === 'lost') report.lost(directive, text)
    else if (fate === 'unneeded') report.unneeded(directive, text)
  }
}

const ADDRESS = /^(?:[a-z]+:\/\/|unix:)/i

/** The parameters of a `BalancerMember` or `ProxySet`, without the address that they are of. */
export const balancerParameters = ({ args }: Directive): readonly string[] =>
  args.filter((arg) => !ADDRESS.test(arg))
