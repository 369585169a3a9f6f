import { isInBlocks, readAddress, type Address } from '../../rewrite/pattern/match-address.ts'
import { spend } from '../../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../../rewrite/rule-request.ts'
import { LOOPBACK } from '../directives/access-directives.ts'
import type { AccessNode, AccessTest, MethodLimit, OldLine } from './access-types.ts'
import type { Login } from './authenticate.ts'
import type { OldAccess, Settings } from '../files/settings.ts'

/** `login`: a name and a password could open it. */
export type AccessVerdict = 'granted' | 'denied' | 'login'

type Judged = 'granted' | 'denied' | 'neutral' | 'login'

/** A request, and what is read of it once for all conditions. */
interface Asking {
  request: RuleRequest
  address: Address | null
  login: () => Promise<Login>
}

const isLimited = ({ methods, except }: MethodLimit, { method, budget }: RuleRequest): boolean => {
  spend(budget, 1 + methods.length)
  // GET includes HEAD (Apache's <Limit>).
  const name = method === 'HEAD' ? 'GET' : method
  return methods.includes(name) !== except
}

const said = (held: boolean): Judged => (held ? 'granted' : 'denied')

const judgeLogin = async (
  test: Extract<AccessTest, { kind: 'user' | 'group' | 'valid-user' }>,
  { request, login }: Asking,
): Promise<Judged> => {
  const { user, groups } = await login()
  if (user === null) return 'login'
  if (test.kind === 'valid-user') return 'granted'
  spend(request.budget, test.names.length)
  if (test.kind === 'user') return test.names.includes(user) ? 'granted' : 'login'
  const mine = new Set(await groups())
  return test.names.some((name) => mine.has(name)) ? 'granted' : 'login'
}

const judgeTest = (test: AccessTest, asking: Asking): Judged | Promise<Judged> => {
  const { request, address } = asking
  const { budget } = request
  spend(budget, 1)
  switch (test.kind) {
    case 'all':
      return said(test.granted)
    case 'address':
      return said(isInBlocks(address, test.blocks, budget))
    case 'local':
      return said(
        request.context.clientAddress === request.context.serverAddress ||
          isInBlocks(address, LOOPBACK, budget),
      )
    case 'host':
      spend(budget, test.names.length)
      // Names are not looked up: only this machine is known by its name.
      return said(test.names.includes('localhost') && isInBlocks(address, LOOPBACK, budget))
    case 'env':
      spend(budget, test.names.length)
      return said(test.names.some((name) => request.env.has(name)))
    case 'method':
      spend(budget, test.methods.length)
      return said(test.methods.includes(request.method))
    case 'expression':
      return test.expression.test(request).then(said)
    default:
      return judgeLogin(test, asking)
  }
}

/** At once where nothing is waited for: lists may hold thousands. */
const judge = (node: AccessNode, asking: Asking): Judged | Promise<Judged> => {
  if (node.kind === 'limited') {
    return isLimited(node.limit, asking.request) ? judge(node.part, asking) : 'neutral'
  }
  if (node.kind !== 'test') return judgeGroup(node, asking)
  const judged = judgeTest(node.test, asking)
  if (!node.negative) return judged
  return judged instanceof Promise ? judged.then(opposite) : opposite(judged)
}

/** "not" can refuse, but never admit by itself. */
const opposite = (judged: Judged): Judged => (judged === 'granted' ? 'denied' : 'neutral')

const judgeGroup = async (
  { kind, parts }: Extract<AccessNode, { parts: AccessNode[] }>,
  asking: Asking,
): Promise<Judged> => {
  const seen = new Set<Judged>()
  for (const part of parts) {
    const answer = judge(part, asking)
    const judged = answer instanceof Promise ? await answer : answer
    if (kind === 'none' && judged === 'granted') return 'denied'
    if (kind === 'any' && judged === 'granted') return 'granted'
    if (kind === 'all' && judged === 'denied') return 'denied'
    seen.add(judged)
  }
  if (kind === 'none') return 'neutral'
  if (seen.has('login')) return 'login'
  if (seen.has('denied')) return 'denied'
  return seen.has('granted') ? 'granted' : 'neutral'
}

const admitsOld = ({ orders, lines }: OldAccess, { request, address }: Asking): boolean => {
  const { budget, env } = request
  spend(budget, orders.length + lines.length)
  let names: ReadonlySet<string> | null = null
  const isSet = (name: string): boolean => {
    if (names === null) {
      spend(budget, env.size)
      names = new Set([...env.keys()].map((known) => known.toLowerCase()))
    }
    return names.has(name)
  }
  const applies = (limit: MethodLimit | null): boolean =>
    limit === null || isLimited(limit, request)
  const holds = ({ limit, all, variables, blocks }: OldLine): boolean => {
    if (!applies(limit)) return false
    spend(budget, variables.length)
    return (
      all ||
      variables.some(({ name, negative }) => isSet(name) !== negative) ||
      isInBlocks(address, blocks, budget)
    )
  }
  const some = (allow: boolean): boolean =>
    lines.some((line) => line.allow === allow && holds(line))
  const order = orders.findLast(({ limit }) => applies(limit))
  if (order?.allowFirst) return some(true) && !some(false)
  return some(true) || !some(false)
}

/**
 * Who may see a file: `Require`, and the older `Order`, `Allow`, `Deny`, joined by `Satisfy`.
 * Throws `PatternLimit` when there are more conditions than the request's budget allows.
 */
export const checkAccess = async (
  settings: Settings,
  request: RuleRequest,
  login: () => Promise<Login>,
): Promise<AccessVerdict> => {
  if (settings.oldAccess === null && settings.require === null) return 'granted'
  const asking = { request, address: readAddress(request.context.clientAddress), login }
  const oldAdmits = settings.oldAccess === null || admitsOld(settings.oldAccess, asking)
  const { satisfyAny } = settings
  if (satisfyAny && settings.oldAccess !== null && oldAdmits) return 'granted'
  if (!satisfyAny && !oldAdmits) return 'denied'
  if (settings.require === null) return oldAdmits ? 'granted' : 'denied'
  const judged = await judge(settings.require, asking)
  if (judged === 'login') return 'login'
  if (judged === 'granted') return 'granted'
  // Limits for other methods only say nothing; conditions with "not" alone do not admit.
  return judged === 'neutral' && onlyLimits(settings.require, request) ? 'granted' : 'denied'
}

const onlyLimits = (node: AccessNode, request: RuleRequest): boolean => {
  if (node.kind === 'limited') return !isLimited(node.limit, request)
  if (node.kind === 'test') return false
  return node.parts.every((part) => onlyLimits(part, request))
}
