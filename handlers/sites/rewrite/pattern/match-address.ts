import { spend, type StepBudget } from './matching.ts'

/** An address in 32-bit words: one (IPv4) or four (IPv6). An IPv4 address inside an IPv6 one is IPv4. */
export type Address = readonly number[]

/** An address of which so many bits from the left count. */
export interface AddressBlock {
  readonly words: Address
  readonly bits: number
}

/** More than any address with its zone, or block with its mask. */
const MAX_LENGTH = 100
/** Of reading two addresses. */
const READING_STEPS = 2 * MAX_LENGTH
/** Blocks that are compared at the cost of one step. */
const BLOCKS_PER_STEP = 8

const BYTE = /^(?:0|[1-9]\d{0,2})$/
const GROUP = /^[0-9a-f]{1,4}$/i

const readFour = (text: string): number | null => {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  let word = 0
  for (const part of parts) {
    if (!BYTE.test(part) || Number(part) > 255) return null
    word = word * 256 + Number(part)
  }
  return word
}

/** The 16-bit groups between colons; the last may be an IPv4 address. Null: it is none. */
const readGroups = (text: string): number[] | null => {
  const groups: number[] = []
  if (text === '') return groups
  const parts = text.split(':')
  for (const [at, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(Number.parseInt(part, 16))
    else {
      const four = at === parts.length - 1 ? readFour(part) : null
      if (four === null) return null
      groups.push(four >>> 16, four & 0xffff)
    }
  }
  return groups
}

const readSix = (text: string): Address | null => {
  const [plain = ''] = text.split('%')
  const halves = plain.split('::')
  const [left, right] = [readGroups(halves[0] ?? ''), readGroups(halves[1] ?? '')]
  if (halves.length > 2 || left === null || right === null) return null
  // Only the end of all may be written as an IPv4 address.
  if (halves.length === 2 && (halves[0] ?? '').includes('.')) return null
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...left, ...new Array<number>(missing).fill(0), ...right]
  const words = [0, 2, 4, 6].map(
    (at) => (groups[at] as number) * 65_536 + (groups[at + 1] as number),
  )
  const isFour = words[0] === 0 && words[1] === 0 && words[2] === 0xffff
  return isFour ? [words[3] as number] : words
}

/** An address as it is usually written; null when it is none. A zone (`%eth0`) does not count. */
export const readAddress = (text: string): Address | null => {
  if (text.length > MAX_LENGTH) return null
  if (text.includes(':')) return readSix(text)
  const four = readFour(text)
  return four === null ? null : [four]
}

/** Bits of a net mask such as `255.255.0.0`; null when ones follow zeros. */
const bitsOfMask = (mask: number): number | null => {
  const bits = Math.clz32(~mask)
  return bits === 32 || (mask << bits) >>> 0 === 0 ? bits : null
}

/** An address, a block (`10.0.0.0/8`, with a net mask) or the beginning of one (`10.1`); null when it is none. */
export const readBlock = (text: string): AddressBlock | null => {
  if (text.length > MAX_LENGTH) return null
  if (/^\d{1,3}(?:\.\d{1,3}){0,2}\.?$/.test(text)) {
    const parts = text.split('.').filter((part) => part !== '')
    const words = readAddress([...parts, '0', '0', '0'].slice(0, 4).join('.'))
    return words && { words, bits: parts.length * 8 }
  }
  const slash = text.indexOf('/')
  const words = readAddress(slash === -1 ? text : text.slice(0, slash))
  if (words === null) return null
  const all = words.length * 32
  if (slash === -1) return { words, bits: all }
  const mask = text.slice(slash + 1)
  const dotted = readFour(mask)
  const bits = dotted !== null ? bitsOfMask(dotted) : /^\d{1,3}$/.test(mask) ? Number(mask) : null
  return bits === null || bits > all ? null : { words, bits }
}

const isIn = (address: Address, { words, bits }: AddressBlock): boolean => {
  if (address.length !== words.length) return false
  for (let at = 0, rest = bits; rest > 0; at++, rest -= 32) {
    const differing = ((address[at] as number) ^ (words[at] as number)) >>> 0
    if (rest >= 32 ? differing !== 0 : differing >>> (32 - rest) !== 0) return false
  }
  return true
}

/** Whether an address lies in one of the blocks. Throws `PatternLimit`. */
export const isInBlocks = (
  address: Address | null,
  blocks: readonly AddressBlock[],
  budget: StepBudget,
): boolean => {
  spend(budget, Math.ceil(blocks.length / BLOCKS_PER_STEP))
  return address !== null && blocks.some((block) => isIn(address, block))
}

/** Whether an address lies in a block, both as text; see `readBlock`. Throws `PatternLimit`. */
export const matchesAddress = (client: string, text: string, budget: StepBudget): boolean => {
  spend(budget, READING_STEPS)
  const [address, block] = [readAddress(client), readBlock(text)]
  return address !== null && block !== null && isIn(address, block)
}
