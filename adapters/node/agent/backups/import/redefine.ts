import { Transform } from 'node:stream'

const NEWLINE = 0x0a
/** Longer than the beginning of any line that names a definer. */
const HEAD_BYTES = 512
/** As `mariadb-dump` begins views, triggers, events and routines. */
const DEFINER =
  /^((?:\/\*!\d{5} (?:CREATE\*\/ \/\*!\d{5} )?|CREATE )DEFINER=)`([^`]{1,80})`@`([^`]{0,255})`/

/**
 * A dump of which what `from` (a user of this host; null: anybody) had defined is defined
 * by `to`, since a database's user may define in no other's name. Only lines that begin as those of definitions are
 * touched: a line break inside a value is written as `\n`.
 */
export const redefine = (from: string | null, to: string): Transform => {
  /** The beginning of a line, until it can be judged; null: in the middle of one. */
  let head: Buffer | null = Buffer.alloc(0)
  const judged = (line: Buffer): Buffer => {
    const text = line.toString('latin1')
    const [, before, user, host] = DEFINER.exec(text) ?? []
    if (before === undefined || user === undefined || host === undefined) return line
    if (from !== null && (user !== from || host !== 'localhost')) return line
    const rest = text.slice(before.length + user.length + host.length + '``@``'.length)
    return Buffer.from(`${before}\`${to}\`@\`localhost\`${rest}`, 'latin1')
  }
  const transformed = (chunk: Buffer): Buffer[] => {
    const out: Buffer[] = []
    let at = 0
    while (at < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline === -1 ? chunk.length : newline + 1
      if (head === null) out.push(chunk.subarray(at, end))
      else {
        head = Buffer.concat([head, chunk.subarray(at, end)])
        if (newline === -1 && head.length < HEAD_BYTES) return out
        out.push(judged(head))
      }
      head = newline === -1 ? null : Buffer.alloc(0)
      at = end
    }
    return out
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, Buffer.concat(transformed(chunk)))
    },
    flush(done) {
      done(null, head === null ? undefined : judged(head))
    },
  })
}
