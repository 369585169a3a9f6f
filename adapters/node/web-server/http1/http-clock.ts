import { dayNumber } from '#handlers/domain/figures/figures-day.ts'

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

/**
 * The time as answers and log lines need it; texts are built once a second.
 * `update` is called at the start of every burst of work.
 */
export class HttpClock {
  /** Wall clock of the last `update`, milliseconds. */
  nowMs = 0
  /** Whole seconds of `nowMs`. */
  second = 0
  /** Days since 1970, UTC. */
  day = 0
  /** Value of a Date field (RFC 9110 5.6.7). */
  httpDate = ''
  /** Time of the combined log format, in UTC. */
  logTime = ''
  /** What a line of the access log has between the client's address and the request line. */
  logLead: Uint8Array = new Uint8Array()

  constructor() {
    this.update()
  }

  update(): void {
    this.nowMs = Date.now()
    const second = Math.floor(this.nowMs / 1000)
    if (second === this.second) return
    this.second = second
    this.day = dayNumber(this.nowMs)
    const date = new Date(this.nowMs)
    this.httpDate = date.toUTCString()
    const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()] ?? ''}/${date.getUTCFullYear()}`
    const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
    this.logTime = `[${day}:${time} +0000]`
    this.logLead = Buffer.from(` - - ${this.logTime} "`, 'latin1')
  }
}
