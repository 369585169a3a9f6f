import type Database from 'better-sqlite3'
import type { OperationState, RegisteredOperation, Registry } from './types.ts'

interface Row {
  id: string
  kind: string
  subject: string
  state: OperationState
  steps: string
  data: string
  result: string | null
}

const fromRow = (row: Row): RegisteredOperation => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  state: row.state,
  steps: JSON.parse(row.steps) as string[],
  data: JSON.parse(row.data) as Record<string, unknown>,
  result: row.result === null ? null : (JSON.parse(row.result) as unknown),
})

/** What the users port asks beyond single operations. */
export interface OperationRecords extends Pick<
  Registry,
  'operation' | 'openOperation' | 'recordStep' | 'closeOperation' | 'openOperations'
> {
  /** Every row with this caller's id, oldest first. */
  byId(id: string): RegisteredOperation[]
  /** What is open, oldest first, with the seconds since it began. */
  openWithAge(): { kind: string; subject: string; ageSecs: number }[]
  /** Closes creations of the account as undone, so that a late repetition cannot revive it. */
  undoCreations(username: string): void
  /** Closes what is open of the account's users operations: a later one has replaced it. */
  supersede(username: string): void
  /** From now on a creation with this id is refused: somebody was told it was never seen. */
  refuse(id: string): void
  isRefused(id: string): boolean
}

const KEEP_CLOSED_SECS = 90 * 86_400

/** Operation rows over an opened and migrated registry database; drops closed ones after 90 days. */
export const createOperationRecords = (db: Database.Database): OperationRecords => {
  const one = db.prepare<[string, string, string], Row>(
    'select * from operations where id = ? and kind = ? and subject = ?',
  )
  const insert = db.prepare<[string, string, string, string, number]>(
    `insert into operations (id, kind, subject, state, data, at_secs) values (?, ?, ?, 'open', ?, ?)
     on conflict do nothing`,
  )
  const step = db.prepare<[string, string, string, string]>(
    `update operations set steps = json_insert(steps, '$[#]', ?)
     where id = ? and kind = ? and subject = ?`,
  )
  const close = db.prepare<[string, string | null, string, string, string]>(
    'update operations set state = ?, result = ? where id = ? and kind = ? and subject = ?',
  )
  const open = db.prepare<[string], Row>(
    `select * from operations where state = 'open' and kind glob ? || '*' order by seq`,
  )
  const openSince = db.prepare<[], { kind: string; subject: string; at_secs: number }>(
    `select kind, subject, at_secs from operations where state = 'open' order by seq`,
  )
  const byId = db.prepare<[string], Row>('select * from operations where id = ? order by seq')
  const undoCreations = db.prepare<[string]>(
    `update operations set state = 'undone', result = null
     where kind = 'users.create' and subject = ?`,
  )
  const supersede = db.prepare<[string]>(
    `update operations set state = 'undone'
     where subject = ? and state = 'open'
       and (substr(kind, 1, 6) = 'users.' or kind = 'backups.restore')`,
  )
  const refuse = db.prepare<[string, number]>(
    'insert into refused_operations (id, at_secs) values (?, ?) on conflict do nothing',
  )
  const refused = db.prepare<[string]>('select 1 from refused_operations where id = ?')
  const nowSecs = (): number => Math.floor(Date.now() / 1000)

  const old = nowSecs() - KEEP_CLOSED_SECS
  db.prepare<[number]>(`delete from operations where state <> 'open' and at_secs < ?`).run(old)
  db.prepare<[number]>('delete from refused_operations where at_secs < ?').run(old)

  const operation: Registry['operation'] = (key) => {
    const row = one.get(key.id, key.kind, key.subject)
    return row ? fromRow(row) : null
  }
  return {
    operation,
    openOperation: (key, data) => {
      insert.run(key.id, key.kind, key.subject, JSON.stringify(data), nowSecs())
      const row = operation(key)
      if (!row) throw new Error(`operation ${key.id} ${key.kind} could not be recorded`)
      return row
    },
    recordStep: (key, name) => void step.run(name, key.id, key.kind, key.subject),
    closeOperation: (key, state, result = null) =>
      void close.run(
        state,
        result === null ? null : JSON.stringify(result),
        key.id,
        key.kind,
        key.subject,
      ),
    openOperations: (kindPrefix) => open.all(kindPrefix).map(fromRow),
    openWithAge: () =>
      openSince.all().map(({ kind, subject, at_secs }) => ({
        kind,
        subject,
        ageSecs: Math.max(0, nowSecs() - at_secs),
      })),
    byId: (id) => byId.all(id).map(fromRow),
    undoCreations: (username) => void undoCreations.run(username),
    supersede: (username) => void supersede.run(username),
    refuse: (id) => void refuse.run(id, nowSecs()),
    isRefused: (id) => refused.get(id) !== undefined,
  }
}
