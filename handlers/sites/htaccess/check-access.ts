import { matchesAddress } from '../rewrite/match-address.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import type { AccessNode, AccessTest, MethodLimit } from './access-types.ts'
import type { Login } from './authenticate.ts'
import type { OldAccess, Settings } from './settings.ts'

/** `login`: a name and a password could open it. */
export type AccessVerdict = 'granted' | 'denied' | 'login'

type Judged = 'granted' | 'denied' | 'neutral' | 'login'

const isLimited = ({ methods, except }: MethodLimit, method: string): boolean => {
  // GET includes HEAD (Apache's <Limit>).
  const name = method === 'HEAD' ? 'GET' : method
  return methods.includes(name) !== except
}

const LOOPBACK = ['127.0.0.0/8', '::1']

const judgeTest = async (
  test: AccessTest,
  request: RuleRequest,
  login: () => Promise<Login>,
): Promise<Judged> => {
  const { clientAddress, serverAddress } = request.context
  const said = (held: boolean): Judged => (held ? 'granted' : 'denied')
  switch (test.kind) {
    case 'all':
      return said(test.granted)
    case 'address':
      return said(test.blocks.some((block) => matchesAddress(clientAddress, block)))
    case 'local':
      return said(
        clientAddress === serverAddress ||
          LOOPBACK.some((block) => matchesAddress(clientAddress, block)),
      )
    case 'host':
      // Names are not looked up: only this machine is known by its name.
      return said(
        test.names.includes('localhost') &&
          LOOPBACK.some((block) => matchesAddress(clientAddress, block)),
      )
    case 'env':
      return said(test.names.some((name) => request.env.has(name)))
    case 'method':
      return said(test.methods.includes(request.method))
    case 'expression':
      return said(await test.expression.test(request))
    default: {
      const { user, groups } = await login()
      if (user === null) return 'login'
      if (test.kind === 'valid-user') return 'granted'
      if (test.kind === 'user') return test.names.includes(user) ? 'granted' : 'login'
      const mine = await groups()
      return test.names.some((name) => mine.includes(name)) ? 'granted' : 'login'
    }
  }
}

const judge = async (
  node: AccessNode,
  request: RuleRequest,
  login: () => Promise<Login>,
): Promise<Judged> => {
  if (node.kind === 'limited') {
    return isLimited(node.limit, request.method) ? judge(node.part, request, login) : 'neutral'
  }
  if (node.kind === 'test') {
    const judged = await judgeTest(node.test, request, login)
    if (!node.negative) return judged
    // "not" can refuse, but never admit by itself.
    return judged === 'granted' ? 'denied' : 'neutral'
  }
  const seen = new Set<Judged>()
  for (const part of node.parts) {
    const judged = await judge(part, request, login)
    if (node.kind === 'none' && judged === 'granted') return 'denied'
    if (node.kind === 'any' && judged === 'granted') return 'granted'
    if (node.kind === 'all' && judged === 'denied') return 'denied'
    seen.add(judged)
  }
  if (node.kind === 'none') return 'neutral'
  if (seen.has('login')) return 'login'
  if (seen.has('denied')) return 'denied'
  return seen.has('granted') ? 'granted' : 'neutral'
}

const admitsOld = ({ orders, lines }: OldAccess, request: RuleRequest): boolean => {
  const applies = (limit: MethodLimit | null): boolean =>
    limit === null || isLimited(limit, request.method)
  const order = orders.findLast(({ limit }) => applies(limit))
  const matches = (from: string): boolean => {
    if (from === 'all') return true
    if (from.startsWith('env=')) {
      const name = from.slice(4)
      const negative = name.startsWith('!')
      const wanted = (negative ? name.slice(1) : name).toLowerCase()
      const isSet = [...request.env.keys()].some((known) => known.toLowerCase() === wanted)
      return isSet !== negative
    }
    const { clientAddress } = request.context
    if (from === 'localhost') return LOOPBACK.some((block) => matchesAddress(clientAddress, block))
    return matchesAddress(clientAddress, from)
  }
  const some = (allow: boolean): boolean =>
    lines.some((line) => line.allow === allow && applies(line.limit) && matches(line.from))
  if (order?.allowFirst) return some(true) && !some(false)
  return some(true) || !some(false)
}

/** Who may see a file: `Require`, and the older `Order`, `Allow`, `Deny`, joined by `Satisfy`. */
export const checkAccess = async (
  settings: Settings,
  request: RuleRequest,
  login: () => Promise<Login>,
): Promise<AccessVerdict> => {
  const oldAdmits = settings.oldAccess === null || admitsOld(settings.oldAccess, request)
  const { satisfyAny } = settings
  if (satisfyAny && settings.oldAccess !== null && oldAdmits) return 'granted'
  if (!satisfyAny && !oldAdmits) return 'denied'
  if (settings.require === null) return oldAdmits ? 'granted' : 'denied'
  const judged = await judge(settings.require, request, login)
  if (judged === 'login') return 'login'
  if (judged === 'granted') return 'granted'
  // Limits for other methods only say nothing; conditions with "not" alone do not admit.
  return judged === 'neutral' && onlyLimits(settings.require, request) ? 'granted' : 'denied'
}

const onlyLimits = (node: AccessNode, request: RuleRequest): boolean => {
  if (node.kind === 'limited') return !isLimited(node.limit, request.method)
  if (node.kind === 'test') return false
  return node.parts.every((part) => onlyLimits(part, request))
}
