/** Addresses of the configuration that are told of events. */
export interface WebhooksPort {
  /** Each has a name that stays the same while its address does. */
  list(): { name: string; events: readonly string[] }[]
  /** Rejects with the reason when it was not taken (no response in time, or no 2xx). */
  send(name: string, message: { id: string; body: string }): Promise<void>
}
