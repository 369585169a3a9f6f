import type { Passwords } from '#handlers/ports/passwords.ts'

/** Quick and unsafe, for tests that create many accounts. */
export const createFakePasswords = (): Passwords => ({
  hash: async (password) => `fake:${password}`,
  verify: async (hash, password) => hash === `fake:${password}`,
})
