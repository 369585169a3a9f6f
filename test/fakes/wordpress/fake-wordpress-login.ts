import { conflict } from '#handlers/errors.ts'
import type {
  WordpressAdministrator,
  WordpressLoginPort,
} from '#handlers/ports/host/wordpress/wordpress-login.ts'
import type { FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressLogin extends WordpressLoginPort {
  /** Of every WordPress. */
  people: WordpressAdministrator[]
  /** By ticket: whose log-in it is. */
  tickets: Map<string, number>
}

/** Tickets that open nothing. */
export const createFakeWordpressLogin = (wordpress: FakeWordpress): FakeWordpressLogin => {
  const fake: FakeWordpressLogin = {
    people: [
      { id: 1, login: 'chief', email: 'chief@mail.example' },
      { id: 7, login: 'second', email: 'second@mail.example' },
    ],
    tickets: new Map(),
    async administrators({ username, path }) {
      if (!(wordpress.installed.get(username) ?? []).some((one) => one.path === path))
        throw conflict('WordPress: No WordPress is in that folder.')
      return fake.people
    },
    async ticket({ user }) {
      const ticket = `ticket-${fake.tickets.size + 1}`
      fake.tickets.set(ticket, user)
      return { ticket }
    },
  }
  return fake
}
