import { repeatSingle, singleTest } from './match-single.ts'
import { PatternLimit, spend, type Matcher, type Matching } from './matching.ts'
import { isWord } from './pattern-classes.ts'
import { PatternError, widthOf, type PatternNode } from './pattern-node.ts'

/** Repetitions inside each other on the stack of the matcher. */
const MAX_DEPTH = 1500

const accept: Matcher = (at, m) => {
  m.end = at
  return true
}

const isWordAt = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && isWord(text.charCodeAt(at))

/** Nodes that stand for a place, not for characters. */
const PLACES: Readonly<
  Record<
    'start' | 'end' | 'line-start' | 'line-end' | 'boundary' | 'no-boundary',
    (at: number, m: Matching) => boolean
  >
> = {
  start: (at) => at === 0,
  end: (at, { text }) => at === text.length || (at === text.length - 1 && text[at] === '\n'),
  'line-start': (at, { text }) => at === 0 || text[at - 1] === '\n',
  'line-end': (at, { text }) => at === text.length || text[at] === '\n',
  boundary: (at, { text }) => isWordAt(text, at - 1) !== isWordAt(text, at),
  'no-boundary': (at, { text }) => isWordAt(text, at - 1) === isWordAt(text, at),
}

/**
 * Compiles to functions that call each other. Each counts its steps as it is entered, so
 * that an option, a place or a group costs no less than a character. `slots` counts the
 * repetitions.
 */
export const compileNode = (
  node: PatternNode,
  next: Matcher,
  slots: { count: number },
): Matcher => {
  const single = singleTest(node)
  if (single) {
    return (at, m) => {
      spend(m.budget, 1)
      return at < m.text.length && single(m.text.charCodeAt(at)) && next(at + 1, m)
    }
  }
  switch (node.kind) {
    case 'start':
    case 'end':
    case 'line-start':
    case 'line-end':
    case 'boundary':
    case 'no-boundary': {
      const holds = PLACES[node.kind]
      return (at, m) => {
        spend(m.budget, 1)
        return holds(at, m) && next(at, m)
      }
    }
    case 'sequence':
      return node.parts.reduceRight<Matcher>((rest, part) => compileNode(part, rest, slots), next)
    case 'either': {
      const options = node.options.map((option) => compileNode(option, next, slots))
      return (at, m) => {
        spend(m.budget, 1)
        return options.some((option) => option(at, m))
      }
    }
    case 'group':
      return node.index === null
        ? compileNode(node.body, next, slots)
        : compileGroup(node.index, node.body, next, slots)
    case 'backreference':
      return compileBackreference(node, next)
    case 'atomic':
      return compileAtomic(compileNode(node.body, accept, slots), next)
    case 'look':
      return compileLook(node, next, slots)
    case 'repeat':
      return compileRepeat(node, next, slots)
    default:
      throw new PatternError('it cannot be understood')
  }
}

const compileGroup = (
  index: number,
  body: PatternNode,
  next: Matcher,
  slots: { count: number },
): Matcher => {
  const closed: Matcher = (at, m) => {
    spend(m.budget, 1)
    const [start, end] = [m.captures[index * 2] ?? -1, m.captures[index * 2 + 1] ?? -1]
    m.captures[index * 2] = m.opened[index] ?? -1
    m.captures[index * 2 + 1] = at
    if (next(at, m)) return true
    m.captures[index * 2] = start
    m.captures[index * 2 + 1] = end
    return false
  }
  const inner = compileNode(body, closed, slots)
  return (at, m) => {
    spend(m.budget, 1)
    const before = m.opened[index] ?? -1
    m.opened[index] = at
    if (inner(at, m)) return true
    m.opened[index] = before
    return false
  }
}

const compileBackreference = (
  { index, noCase }: Extract<PatternNode, { kind: 'backreference' }>,
  next: Matcher,
): Matcher => {
  const same = (wanted: string, at: number, text: string): boolean =>
    noCase
      ? text.slice(at, at + wanted.length).toLowerCase() === wanted.toLowerCase()
      : text.startsWith(wanted, at)
  return (at, m) => {
    spend(m.budget, 1)
    const start = m.captures[index * 2] ?? -1
    if (start < 0) return false
    const wanted = m.text.slice(start, m.captures[index * 2 + 1])
    if (at + wanted.length > m.text.length) return false
    spend(m.budget, wanted.length)
    return same(wanted, at, m.text) && next(at + wanted.length, m)
  }
}

/** A copy of the captures, to come back to. */
const copyOfCaptures = ({ captures, budget }: Matching): number[] => {
  spend(budget, captures.length)
  return captures.slice()
}

/** Runs `body` once, without going back into it. */
const compileAtomic =
  (body: Matcher, next: Matcher): Matcher =>
  (at, m) => {
    spend(m.budget, 1)
    const captures = copyOfCaptures(m)
    if (body(at, m) && next(m.end, m)) return true
    m.captures = captures
    return false
  }

const compileLook = (
  { body, behind, negative }: Extract<PatternNode, { kind: 'look' }>,
  next: Matcher,
  slots: { count: number },
): Matcher => {
  const options = behind && body.kind === 'either' ? body.options : [body]
  const looks = options.map((option) => {
    const width = behind ? widthOf(option) : 0
    if (width === null) throw new PatternError('what a look-behind looks for varies in length')
    return { width, run: compileNode(option, accept, slots) }
  })
  return (at, m) => {
    spend(m.budget, looks.length)
    const captures = copyOfCaptures(m)
    const found = looks.some(({ width, run }) => at >= width && run(at - width, m))
    if (found !== negative && next(at, m)) return true
    m.captures = captures
    return false
  }
}

const compileRepeat = (
  { body, min, max, mode }: Extract<PatternNode, { kind: 'repeat' }>,
  next: Matcher,
  slots: { count: number },
): Matcher => {
  if (mode === 'possessive') {
    const greedy = compileRepeat({ kind: 'repeat', body, min, max, mode: 'greedy' }, accept, slots)
    return compileAtomic(greedy, next)
  }
  const single = singleTest(body)
  if (single) return repeatSingle(single, { min, max, lazy: mode === 'lazy' }, next)
  const slot = slots.count++
  const again: Matcher = (at, m) => {
    spend(m.budget, 1)
    const count = m.counts[slot] ?? 0
    const start = m.starts[slot] ?? -1
    const leave = (): boolean => count >= min && next(at, m)
    const more = (): boolean => {
      // A round that matched nothing would go on for ever.
      if (count >= max || (count >= min && at === start)) return false
      if (++m.depth > MAX_DEPTH) throw new PatternLimit()
      m.counts[slot] = count + 1
      m.starts[slot] = at
      const matched = inner(at, m)
      m.depth--
      if (matched) return true
      m.counts[slot] = count
      m.starts[slot] = start
      return false
    }
    return mode === 'lazy' ? leave() || more() : more() || leave()
  }
  const inner = compileNode(body, again, slots)
  return (at, m) => {
    const [count, start] = [m.counts[slot] ?? 0, m.starts[slot] ?? -1]
    m.counts[slot] = 0
    m.starts[slot] = -1
    if (again(at, m)) return true
    m.counts[slot] = count
    m.starts[slot] = start
    return false
  }
}
