import { describe } from 'vitest'
import { shareMailInstance } from './mail/mail-instance.ts'

shareMailInstance()

describe('mail of accounts', async () => {
  await import('./mail/outgoing.ts')
})
