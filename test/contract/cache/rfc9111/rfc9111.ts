import type { ContractCase } from '../page-mode/cache-case.ts'
import type { LowerLayer } from '../page-mode/cache-harness.ts'
import { CONDITIONS, TARGETED } from './conditions.ts'
import { CONSTRUCTING } from './constructing.ts'
import { DIRECTIVES } from './directives.ts'
import { FRESHNESS } from './freshness.ts'
import { sentenceCases } from './sentence.ts'
import { STORING } from './storing.ts'
import { TIMES } from './times.ts'
import { VALIDATION } from './validation.ts'

/**
 * What the standards ask of a shared cache, sentence by sentence, of two workers in
 * turn that have nothing but a store in common (a fresh one per case).
 */
export const rfcContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  ...sentenceCases(
    'RFC 9111',
    [...STORING, ...CONSTRUCTING, ...FRESHNESS, ...VALIDATION, ...DIRECTIVES, ...TIMES],
    createLower,
  ),
  ...sentenceCases('RFC 9110', CONDITIONS, createLower),
  ...sentenceCases('RFC 9213', TARGETED, createLower),
]
