import type { DatabaseEngine } from '../../store/records.ts'
import type { ApplicationSpec } from '../applications.ts'
import type { CertificateFiles } from '../certificates.ts'

/** Largest piece of a stream, in bytes. */
export const MOVE_PIECE_BYTES = 2 * 2 ** 20

/** What an application is started with. */
interface ApplicationParts {
  spec: ApplicationSpec
  secrets: Readonly<Record<string, string>>
}

/** What only the host knows of an account, and another host needs to serve it: hashes, keys, secret variables. */
export interface AccountSecrets {
  /** As in shadow(5); null: the system user has none. */
  passwordHash: string | null
  /** Users of its for one folder each. */
  folderUsers: { name: string; hash: string }[]
  /** First and further users of databases; `hash` is what the server keeps. */
  databaseUsers: { engine: DatabaseEngine; user: string; hash: string }[]
  applications: (ApplicationParts & {
    live: ApplicationParts | null
    wanted: 'running' | 'stopped'
  })[]
  /** Those that its sites serve, PEM; `certificate` is the chain. */
  certificates: { domain: string; version: string; certificate: string; key: string }[]
}

/**
 * What flows at one end. `list` and `pack` are given out by the host that has the account, `dump`
 * too; `compare`, `unpack` and `load` are taken by the one that gets it. Names are bytes.
 */
export type MoveStream =
  /** Everything in the home, as records. */
  | { kind: 'list' }
  /** Takes a `list` and gives the names that are other here, and were not changed since; what is here and not there is removed. */
  | { kind: 'compare'; sinceSecs: number | null }
  /** Takes names, and gives these files. */
  | { kind: 'pack' }
  /** Takes what `pack` gives. */
  | { kind: 'unpack' }
  | { kind: 'dump'; engine: DatabaseEngine; database: string }
  /** Puts a dump in the place of what the database holds. */
  | { kind: 'load'; engine: DatabaseEngine; database: string }

/** What became of a stream. */
export interface MoveReceipt {
  /** Clock of the host when it began, in seconds since 1970. */
  beganSecs: number
  /** Entries of the home that were listed, that are other, or that were written. */
  entries: number
  /** Bytes of files that were written. */
  bytes: number
  /** What was removed, since it is not at the other end any more. */
  removed: number
  /** What does not move: devices, sockets, links that lead out of the home, what the account may not read. */
  skipped: number
  /** Paths of the first of them, at most 20, below the home. */
  skippedPaths: string[]
}

/**
 * Moving an account to another host. All that flows goes through the panel, in pieces with running
 * numbers from 0 on: a piece that is asked for, or comes, again is the same one. Homes are read and written by
 * processes of the account; whatever the other end says is hostile. A stream that nobody goes on
 * with for ten minutes is given up. 404 for an unknown account or stream, 409 for what is refused, 413 over quota or disk.
 */
export interface MovesPort {
  /** All of them; a secret as a whole. */
  secrets(input: { username: string }): Promise<AccountSecrets>
  /** Gives the account, which has its databases, users and sites already, what `secrets` told. Answers where certificates are. */
  takeSecrets(input: {
    username: string
    secrets: AccountSecrets
  }): Promise<{ domain: string; files: CertificateFiles }[]>
  /** Begins a stream; one of that id that is there already is no error. 503 where too many are under way. */
  begin(input: { streamId: string; username: string; stream: MoveStream }): Promise<void>
  /** The next bytes, at most `MOVE_PIECE_BYTES`, base64; `ended` with the last. Null: none are there yet, ask again. */
  read(input: {
    streamId: string
    number: number
  }): Promise<{ content: string; ended: boolean } | null>
  /** The next bytes; `last` ends what is taken. */
  write(input: { streamId: string; number: number; content: string; last: boolean }): Promise<void>
  /** Answers when all is done, or null after some seconds. What went wrong is thrown. */
  receipt(input: { streamId: string }): Promise<MoveReceipt | null>
  /** Gives up what is under way; none is no error. */
  drop(input: { streamId: string }): Promise<void>
}
