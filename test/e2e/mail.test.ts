import { describe } from 'vitest'
import { shareMailInstance } from './mail/mail-instance.ts'

shareMailInstance()

describe('mail of accounts', async () => {
  await import('./mail/outgoing.ts')
})

describe('what people are told by mail', async () => {
  await import('./mail/told.ts')
})
