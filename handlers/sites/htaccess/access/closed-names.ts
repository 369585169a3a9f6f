import type { StepBudget } from '../../rewrite/pattern/pattern.ts'
import type { NameTest } from '../files/glob-test.ts'
import type { Block } from '../files/parse-rules.ts'
import { emptySettings, type OldAccess } from '../files/settings.ts'
import type { AccessNode, MethodLimit, NamedAccess } from './access-types.ts'

const forReading = ({ methods, except }: MethodLimit): boolean => methods.includes('GET') !== except

const isOpen = (node: AccessNode): boolean => {
  if (node.kind === 'limited') return !forReading(node.limit) || isOpen(node.part)
  if (node.kind === 'test') return node.test.kind === 'all' && node.test.granted !== node.negative
  if (node.kind === 'none') return false
  return node.kind === 'any' ? node.parts.some(isOpen) : node.parts.every(isOpen)
}

const isOpenOld = ({ orders, lines }: OldAccess): boolean => {
  const reading = <T extends { limit: MethodLimit | null }>({ limit }: T): boolean =>
    limit === null || forReading(limit)
  const said = lines.filter(reading)
  const denies = said.some(({ allow }) => !allow)
  const allowsAll = said.some(({ allow, all }) => allow && all)
  return orders.findLast(reading)?.allowFirst === true ? allowsAll && !denies : allowsAll || !denies
}

/** Adds what a section for names says; what stands in it is carried out on nothing. */
export const noteNamedAccess = (into: NamedAccess[], test: NameTest, block: Block): void => {
  const own = emptySettings()
  for (const step of block.steps) step(own)
  if (own.require === null && own.oldAccess === null) return
  into.push({
    test,
    require: own.require && isOpen(own.require),
    old: own.oldAccess && isOpenOld(own.oldAccess),
  })
}

/**
 * Whether sections for names keep a file from anybody. One that only some may see counts: a
 * page that names it may be shown to others. Throws `PatternLimit`.
 */
export const isClosedName = (
  named: readonly NamedAccess[],
  name: string,
  budget: StepBudget,
): boolean => {
  let [require, old] = [true, true]
  for (const one of named) {
    if (!one.test(name, budget)) continue
    require = one.require ?? require
    old = one.old ?? old
  }
  return !require || !old
}
