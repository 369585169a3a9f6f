import { describe, it } from 'vitest'
import { warmContract } from '#test/contract/cache/warm.ts'

describe('management API: warm', () => {
  for (const { name, run } of warmContract()) it(name, run)
})
