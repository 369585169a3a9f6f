import type Database from 'better-sqlite3'

/** What is known of a call: `cut-off` where the agent ended while it ran, `refused` where somebody was told that it never came. */
export type CallState = 'running' | 'answered' | 'cut-off' | 'refused'

/** A call as it is recorded. */
export interface RecordedCall {
  method: string
  /** Of its input, where it has one: what became of it, the operation's own record says. */
  operationId: string | null
  state: CallState
  /** JSON of its answer; null while there is none, and where it is not kept. */
  answer: string | null
}

/** Calls of the last day, by their ids. */
export interface CallRecords {
  /** Records a call before anything is done for it. False: it is known, running, answered or refused. */
  begin(id: string, method: string, operationId: string | null): boolean
  /** Records how a running call was answered; null: with something that is not kept. */
  settle(id: string, answer: string | null): void
  find(id: string): RecordedCall | null
  /** From now on a call that is not known is refused: somebody was told that it never came. */
  refuse(id: string): void
}

const KEEP_SECS = 86_400

interface Row {
  method: string
  operation_id: string | null
  state: CallState
  answer: string | null
}

/**
 * Call rows over an opened and migrated registry database. What ran when the agent ended is
 * `cut-off` from the start on; those of more than a day ago are dropped, now and as others come.
 */
export const createCallRecords = (
  db: Database.Database,
  nowSecs: () => number = () => Math.floor(Date.now() / 1000),
): CallRecords => {
  const insert = db.prepare<[string, string, string | null, string, number]>(
    `insert into calls (id, method, operation_id, state, at_secs) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
  )
  const settle = db.prepare<[string | null, string]>(
    `update calls set state = 'answered', answer = ? where id = ? and state = 'running'`,
  )
  const find = db.prepare<[string], Row>(
    'select method, operation_id, state, answer from calls where id = ?',
  )
  const drop = db.prepare<[number]>(`delete from calls where at_secs < ? and state <> 'running'`)
  db.exec(`update calls set state = 'cut-off' where state = 'running'`)
  drop.run(nowSecs() - KEEP_SECS)

  return {
    begin(id, method, operationId) {
      drop.run(nowSecs() - KEEP_SECS)
      return insert.run(id, method, operationId, 'running', nowSecs()).changes === 1
    },
    settle: (id, answer) => void settle.run(answer, id),
    find(id) {
      const row = find.get(id)
      if (row === undefined) return null
      const { method, operation_id: operationId, state, answer } = row
      return { method, operationId, state, answer }
    },
    refuse: (id) => void insert.run(id, '', null, 'refused', nowSecs()),
  }
}
