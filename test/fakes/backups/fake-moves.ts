import { conflict, notFound } from '#handlers/errors.ts'
import type { MovesPort, MoveReceipt, MoveStream } from '#handlers/ports/host/accounts/moves.ts'
import type { FakeFiles } from '../fake-files.ts'

interface Stream {
  username: string
  stream: MoveStream
  taken: string
  written: number
  /** Null until all of it has come. */
  given: string | null
  receipt: MoveReceipt
}

const NOTHING = { beganSecs: 0, entries: 0, bytes: 0, removed: 0, skipped: 0, skippedPaths: [] }

/** Homes held in memory, which move whole or not at all. */
export const createFakeMoves = (
  { trees }: Pick<FakeFiles, 'trees'>,
  hasAccount: (username: string) => boolean,
): MovesPort => {
  const streams = new Map<string, Stream>()
  const known = (streamId: string): Stream => {
    const one = streams.get(streamId)
    if (one === undefined) throw notFound('There is no such stream.')
    return one
  }
  const assertAccount = (username: string): void => {
    if (!hasAccount(username)) throw notFound(`User ${username} does not exist.`)
  }
  const textOf = (username: string): string =>
    JSON.stringify(
      [...(trees.get(username) ?? [])].map(([path, node]) => [
        path,
        { ...node, bytes: [...node.bytes] },
      ]),
    )
  const take = (one: Stream): void => {
    const { username, stream, taken } = one
    if (stream.kind === 'compare') {
      const same = taken === textOf(username)
      one.given = same ? '' : 'all'
      one.receipt = { ...NOTHING, entries: same ? 0 : (trees.get(username)?.size ?? 0) }
    }
    if (stream.kind === 'pack') one.given = textOf(username)
    if (stream.kind === 'unpack') {
      const entries = JSON.parse(taken) as [string, { bytes: number[] } & object][]
      const nodes = entries.map(([path, node]) => {
        const kept = node as { type: 'file'; mode: string; bytes: number[] }
        return [path, { ...kept, bytes: Uint8Array.from(kept.bytes) }] as const
      })
      trees.set(username, new Map(nodes))
    }
    one.given ??= ''
  }
  return {
    async secrets({ username }) {
      assertAccount(username)
      const none = { folderUsers: [], databaseUsers: [], applications: [], certificates: [] }
      return { passwordHash: null, ...none }
    },
    async takeSecrets({ username }) {
      assertAccount(username)
      return []
    },
    async begin({ streamId, username, stream }) {
      assertAccount(username)
      const gives = stream.kind === 'list' || stream.kind === 'dump'
      const text = stream.kind === 'list' ? textOf(username) : 'a dump'
      streams.set(streamId, {
        ...{ username, stream, taken: '', written: 0, receipt: NOTHING },
        given: gives ? text : null,
      })
    },
    async read({ streamId, number }) {
      const { given } = known(streamId)
      if (given === null) return null
      if (number !== 0) throw conflict('Pieces are missing.')
      return { content: btoa(given), ended: true }
    },
    async write({ streamId, number, content, last }) {
      const one = known(streamId)
      if (number < one.written) return
      one.written += 1
      one.taken += atob(content)
      if (last) take(one)
    },
    receipt: async ({ streamId }) => known(streamId).receipt,
    async drop({ streamId }) {
      streams.delete(streamId)
    },
  }
}
