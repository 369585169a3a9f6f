import { HUFFMAN_BITS } from './tables.ts'

/** Nodes of the code's tree that are no octet: one fewer than its 257 leaves. */
const NODES = 256
const NONE = -1
const END_MARK = 256
/** Longest run of ones that may fill up the last octet. */
const MAX_PADDING_BITS = 7

/** Children of the nodes, two for each: another node, or the complement of an octet. */
const buildTree = (): Int16Array => {
  const tree = new Int16Array(NODES * 2)
  let nodes = 1
  let code = 0
  let length = 0
  const leaves = [...HUFFMAN_BITS, 30].map((bits, symbol) => ({ bits, symbol }))
  leaves.sort((one, other) => one.bits - other.bits || one.symbol - other.symbol)
  for (const { bits, symbol } of leaves) {
    code *= 2 ** (bits - length)
    length = bits
    let node = 0
    for (let bit = bits - 1; bit > 0; bit--) {
      const at = node * 2 + ((code >>> bit) & 1)
      // The root is nobody's child, so 0 says that there is none yet.
      if (tree[at] === 0) tree[at] = nodes++
      node = tree[at] as number
    }
    tree[node * 2 + (code & 1)] = ~symbol
    code++
  }
  return tree
}

/** For each node and the next four bits: the node that follows, and the octet met on the way. No code is shorter than five bits, so there is at most one. */
const NEXT = new Int16Array(NODES * 16)
const MET = new Int16Array(NODES * 16).fill(NONE)
/** Whether a text may end at a node: what leads there is padding. */
const MAY_END = new Uint8Array(NODES)

const build = (): void => {
  const tree = buildTree()
  for (let node = 0; node < NODES; node++) {
    for (let bits = 0; bits < 16; bits++) {
      let at = node
      for (let bit = 3; bit >= 0; bit--) {
        const child = tree[at * 2 + ((bits >>> bit) & 1)] as number
        if (child < 0) MET[node * 16 + bits] = ~child
        at = child < 0 ? 0 : child
      }
      NEXT[node * 16 + bits] = at
    }
  }
  for (let bits = 0, node = 0; bits <= MAX_PADDING_BITS; bits++) {
    MAY_END[node] = 1
    node = tree[node * 2 + 1] as number
  }
}
build()

let scratch = Buffer.allocUnsafeSlow(4096)

/** The octets of a text in Huffman code as latin1; null when it is no such text (RFC 7541 5.2). */
export const decodeHuffman = (bytes: Uint8Array, start: number, end: number): string | null => {
  // The shortest codes have five bits.
  const most = Math.ceil(((end - start) * 8) / 5)
  if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most * 2)
  let node = 0
  let length = 0
  for (let at = start; at < end; at++) {
    const octet = bytes[at] as number
    for (let shift = 4; shift >= 0; shift -= 4) {
      const step = node * 16 + ((octet >>> shift) & 15)
      const met = MET[step] as number
      if (met === END_MARK) return null
      if (met !== NONE) scratch[length++] = met
      node = NEXT[step] as number
    }
  }
  return MAY_END[node] === 1 ? scratch.toString('latin1', 0, length) : null
}
