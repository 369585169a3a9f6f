/** How much is unread. */
interface Unread {
  unread: number
  latest: number
}

/** The page has come to rest by then; what is unread came with it. */
const BEGIN_MS = 4000
const AGAIN_MS = 10_000

const isUnread = (value: unknown): value is Unread =>
  typeof value === 'object' && value !== null && 'unread' in value && 'latest' in value

/**
 * What is unread, as it is now: a stream while the tab is looked at. Tabs that nobody sees
 * have none, because a user has few streams and a browser few connections.
 */
class Notifications {
  /** Null until the stream told it. */
  state = $state<Unread | null>(null)
  #source: EventSource | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #started = false

  readonly #look = (): void => {
    clearTimeout(this.#timer)
    if (!this.#started || document.visibilityState === 'hidden') this.#close()
    else if (this.#source === null) this.#timer = setTimeout(() => this.#open(), BEGIN_MS)
  }

  /** Follows until `stop`. */
  start(): void {
    this.#started = true
    document.addEventListener('visibilitychange', this.#look)
    this.#look()
  }

  /** E.g. when the user logs out. */
  stop(): void {
    this.#started = false
    document.removeEventListener('visibilitychange', this.#look)
    this.#look()
    this.state = null
  }

  #close(): void {
    this.#source?.close()
    this.#source = null
  }

  #open(): void {
    const source = new EventSource('/api/notifications/events')
    this.#source = source
    source.addEventListener('notifications', ({ data }) => {
      const told: unknown = JSON.parse(String(data))
      if (isUnread(told)) this.state = told
    })
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return
      this.#close()
      this.#timer = setTimeout(this.#look, AGAIN_MS)
    })
  }
}

export const notifications = new Notifications()
