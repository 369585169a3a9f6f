const HEAD_BYTES = 16 * 1024
const TAIL_BYTES = 48 * 1024

/** The beginning and the end of what a program writes, in 64 kB however much it is. */
export const createBoundedOutput = () => {
  const head: Buffer[] = []
  let headBytes = 0
  const tail: Buffer[] = []
  let tailBytes = 0
  let droppedBytes = 0
  return {
    add(chunk: Buffer): void {
      const room = HEAD_BYTES - headBytes
      if (room > 0) {
        const first = chunk.subarray(0, room)
        // A copy: the chunk is a part of a larger block that would be kept for it.
        head.push(Buffer.from(first))
        headBytes += first.length
      }
      const rest = Buffer.from(chunk.subarray(Math.max(room, 0)))
      if (rest.length === 0) return
      tail.push(rest)
      tailBytes += rest.length
      while (tailBytes - (tail[0]?.length ?? 0) >= TAIL_BYTES) {
        const gone = tail.shift()?.length ?? 0
        tailBytes -= gone
        droppedBytes += gone
      }
    },
    /** As valid UTF-8. */
    text(): string {
      const end = Buffer.concat(tail)
      const shown = end.subarray(Math.max(0, end.length - TAIL_BYTES))
      const dropped = droppedBytes + end.length - shown.length
      const gap = dropped === 0 ? '' : `\n[... ${dropped} bytes left out ...]\n`
      return `${Buffer.concat(head).toString('utf8')}${gap}${shown.toString('utf8')}`
    },
  }
}
