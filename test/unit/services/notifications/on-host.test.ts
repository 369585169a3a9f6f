import { expect, it } from 'vitest'
import type { Trouble } from '#handlers/services/notify/notify.ts'
import { onHost } from '#handlers/services/notifications/troubles/on-host.ts'

const trouble = (key: string, accountId: number | null = null): Trouble => ({
  ...{ key, accountId, message: 'machine.service', data: { name: 'x', why: '' }, to: 'everybody' },
})

it('another machine takes no more room among what is told than one may have', () => {
  const many = Array.from({ length: 1000 }, (_, at) => trouble(`service:${at}`))
  expect(onHost({ scopes: ['service:'], troubles: many }, 3, 'three').troubles).toHaveLength(40)
  const own = Array.from({ length: 50 }, (_, at) => trouble(`memory:${at}`, at))
  expect(onHost({ scopes: ['memory:'], troubles: own }, 3, 'three').troubles).toHaveLength(50)
  const long = [trouble(`service:${'x'.repeat(1000)}`)]
  expect(onHost({ scopes: ['service:'], troubles: long }, 3, 'three').troubles).toEqual([])
})
