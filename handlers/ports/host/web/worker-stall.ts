/** One time that a worker of the web server did nothing for seconds; what the request was is null where none is known. */
export interface WorkerStall {
  /** When it began: UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string
  /** How long it lasted, or until the worker was ended. */
  secs: number
  /** Whether the worker was ended for it. */
  ended: boolean
  /** Primary domain of the site that it worked for. */
  site: string | null
  method: string | null
  /** Request target as received. */
  target: string | null
  /** What of the request was under way: the site's rules, or anything else. */
  part: 'request' | 'rules' | null
  /** Whether the site's rules or the path are answered with 503 for it now. */
  held: boolean
}
