import type { DatabaseEngine } from '../store/records.ts'

/** How the web tool reaches a database for one person, for a while. */
export interface ToolLogin {
  /** Socket on which the tool's PHP answers in FastCGI. */
  socket: string
  /** The script that is to be asked for, whatever the browser asks for. */
  script: string
  /** The database server as the tool names it: a socket, never an address that anybody chose. */
  server: string
  /** Logs in with the rights of the database's user until the session is closed. */
  user: string
  password: string
}

/**
 * The web tool for databases on this host: its PHP runs as a user of its own, who is neither root nor any
 * account. A session is one login to one database; it ends when it is closed, when another one
 * of that database is opened, when the account is suspended, and with the host's agent.
 */
export interface DatabaseToolPort {
  /** 404 for a database that is not the account's, 409 while it is suspended, 503 where the tool, its PHP or the server is missing. */
  open(input: {
    sessionId: string
    /** Which instance of the panel knows the session; absent: there is one. */
    panel?: string
    username: string
    engine: DatabaseEngine
    database: string
  }): Promise<ToolLogin>
  /** Takes the login back and ends what runs for it; a session that is gone is no error. */
  close(input: { sessionId: string }): Promise<void>
  /** As `close`, for all of them but those of the instances named: a panel that starts knows none. */
  closeAll(input: { except: string[] }): Promise<void>
}
