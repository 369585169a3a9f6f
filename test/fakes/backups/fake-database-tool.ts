import { conflict, notFound } from '#handlers/errors.ts'
import type { DatabaseToolPort } from '#handlers/ports/host/database-tool.ts'

export interface FakeDatabaseTool extends DatabaseToolPort {
  /** Databases that are open, by session. */
  opened: Map<string, string>
}

/** The web tool for databases, without one. */
export const createFakeDatabaseTool = (host: {
  isSuspended(username: string): boolean | null
  has(input: { username: string; engine: string; database: string }): boolean
}): FakeDatabaseTool => {
  const opened = new Map<string, string>()
  const panels = new Map<string, string | undefined>()
  return {
    opened,
    async open({ sessionId, panel, ...names }) {
      const suspended = host.isSuspended(names.username)
      if (suspended === null || !host.has(names)) throw notFound('There is no such database.')
      if (suspended) throw conflict('The account is suspended.')
      for (const [id, database] of opened) if (database === names.database) opened.delete(id)
      opened.set(sessionId, names.database)
      panels.set(sessionId, panel)
      const server = 'localhost:/nowhere'
      return { socket: '/nowhere', script: '/nowhere.php', server, user: 'u', password: 'p' }
    },
    async close({ sessionId }) {
      opened.delete(sessionId)
    },
    async closeAll({ except }) {
      for (const id of [...opened.keys()])
        if (!except.includes(panels.get(id) ?? '')) opened.delete(id)
    },
  }
}
