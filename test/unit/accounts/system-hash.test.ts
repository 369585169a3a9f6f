import { expect, test } from 'vitest'
import { systemHashFault } from '#handlers/domain/accounts/system-hash.ts'

const YESCRYPT = 'salt5678salt5678$hash5678hash5678hash5678hash5678hash5678123'
const SHA = `saltsalt$${'a'.repeat(86)}`

test.each([
  `$y$j9T$${YESCRYPT}`,
  `$y$jBT$${YESCRYPT}`,
  `$y$j75$${YESCRYPT}`,
  `$gy$j9T$${YESCRYPT}`,
  `$7$CU..../....saltsaltsalt$${'a'.repeat(43)}`,
  `$2b$12$${'a'.repeat(53)}`,
  `$2y$10$${'a'.repeat(53)}`,
  `$6$${SHA}`,
  `$6$rounds=656000$${SHA}`,
  `$5$rounds=5000$${SHA}`,
])('%s is taken over', (hash) => {
  expect(systemHashFault(hash)).toBeNull()
})

test.each([
  ['$y$jCT$' + YESCRYPT, 'costly'],
  ['$y$jFT$' + YESCRYPT, 'costly'],
  ['$y$j9z$' + YESCRYPT, 'costly'],
  ['$y$j9T/$' + YESCRYPT, 'costly'],
  [`$7$EU..../....saltsalt$${'a'.repeat(43)}`, 'costly'],
  [`$7$CU....1....saltsalt$${'a'.repeat(43)}`, 'costly'],
  [`$2b$31$${'a'.repeat(53)}`, 'costly'],
  [`$6$rounds=999999999$${SHA}`, 'costly'],
  [`$6$rounds=1000000$${SHA}`, 'costly'],
  ['$1$salt$hash', 'none'],
  ['*', 'none'],
  [`$6$${SHA}:root`, 'none'],
])('%s is not: %s', (hash, fault) => {
  expect(systemHashFault(hash)).toBe(fault)
})
