import { describe, it } from 'vitest'
import { managementContract } from '#test/contract/cache/management.ts'

describe('management API', () => {
  for (const { name, run } of managementContract()) it(name, run)
})
