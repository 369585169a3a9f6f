import type { Passwords } from '#handlers/ports/passwords.ts'

/** Quick and unsafe, for tests that create many accounts. */
export const createFakePasswords = (): Passwords => ({
  // Of bcrypt's form alone.
  siteHash: async (password) =>
    `$2b$10$${password
      .replaceAll(/[^A-Za-z0-9]/g, '.')
      .slice(0, 53)
      .padEnd(53, '.')}`,
  hash: async (password) => `fake:${password}`,
  verify: async (hash, password) => hash === `fake:${password}`,
})
