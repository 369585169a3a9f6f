/** A message of the panel's own, as text. */
export interface PanelMessage {
  /** One address, without a name. */
  to: string
  /** One line, of at most 250 characters; they may be of any script. */
  subject: string
  /** At most 100000 characters; lines end with LF. */
  text: string
}

/** What became of a message that was taken. */
export interface SubmittedMail {
  /** Names it in lists and logs. */
  id: string
  /** `kept`: no relay is configured; it goes out when one is, unless it is too old by then. */
  state: 'queued' | 'kept'
}

/**
 * Mail of the panel itself. It goes into the same queue as that of accounts, survives
 * restarts there, and is tried again for days when the relay is away.
 */
export interface OutgoingMail {
  /**
   * Takes a message, whose sender is `[mail] from`. Resolves when it is on the disk, not when
   * it is sent. 400 for what is no address, a subject of several lines or too much text; 429
   * when the whole server sent as much as it may in an hour; 503 when the queue is not there
   * or full.
   */
  submit(message: PanelMessage): Promise<SubmittedMail>
}
