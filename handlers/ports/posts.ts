/** Sends bodies to addresses that people of the panel gave. */
export interface PostsPort {
  /**
   * One POST. Resolves with the status, whatever it is; redirects are not followed and of the
   * answer nothing else is looked at. Rejects, with a text that may be shown to whoever gave
   * the address, where there is no answer within ten seconds, and for addresses of this
   * machine, its link or private networks, also when a name leads there.
   */
  post(url: string, message: PostedMessage): Promise<{ status: number }>
}

/** What is sent. */
export interface PostedMessage {
  headers: Readonly<Record<string, string>>
  /** JSON. */
  body: string
}
