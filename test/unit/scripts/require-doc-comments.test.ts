import { RuleTester } from 'eslint'
import ts from 'typescript-eslint'
import { describe, it } from 'vitest'
import { requireDocComments } from '../../../scripts/eslint/require-doc-comments.ts'

Object.assign(RuleTester, { describe, it, itOnly: it.only })

const tester = new RuleTester({ languageOptions: { parser: ts.parser as never } })
const missing = (...names: string[]) =>
  names.map((name) => ({ messageId: 'missing', data: { name } }))

tester.run('require-doc-comments', requireDocComments, {
  valid: [
    'const inner = () => 1',
    '/** In bytes. */\nexport const f = () => 1',
    '/** In bytes. */\n// eslint-disable-next-line no-console\nexport function f() { console.log(1) }',
    '/** One. */ export interface Port { /** 404. */ get(): number; name: string }',
    '/** One. */ export class A { constructor() {} #own() {} private b() {} /** Bytes. */ c() {} }',
    '/** What a port asks for. */ export class A implements Port { get() {} }',
    '/** One. */ export class A extends B { override get() {} }',
    '/** One. */ export type A = { size: number } & B',
    "export { f } from './f.ts'\nexport * from './g.ts'\nexport type { H } from './h.ts'",
    '/** Bytes. */ const f = () => 1\nexport { f }',
    '/** Of text or numbers. */ export function f(a: string): void\nexport function f(a: number): void\nexport function f(a: unknown) { return a }',
    '/** One. */ export interface A { /** By name, or id. */ get(a: string): void; get(a: number): void }',
    '/** One. */ export default { a: 1 }',
  ],
  invalid: [
    { code: 'export const f = () => 1', errors: missing('f') },
    { code: 'export function f() {}', errors: missing('f') },
    { code: '/** */ export const f = 1', errors: missing('f') },
    { code: '/* A note. */ export const f = 1', errors: missing('f') },
    { code: '// A note.\nexport type A = string', errors: missing('A') },
    {
      code: 'export interface Port { get(): number; put: (a: number) => void; size: number }',
      errors: missing('Port', 'Port.get', 'Port.put'),
    },
    {
      code: '/** One. */ export class A { get() {} set = () => 1; size = 1 }',
      errors: missing('A.get', 'A.set'),
    },
    {
      code: '/** One. */ export type A = B & { get(): void }',
      errors: missing('A.get'),
    },
    { code: 'const f = () => 1\nexport { f }', errors: missing('f') },
    { code: 'const f = () => 1\nexport { f as g }', errors: missing('f') },
    { code: 'export default () => 1', errors: missing('default') },
    {
      code: 'export function f(a: string): void\nexport function f(a: unknown) { return a }',
      errors: missing('f'),
    },
    {
      code: '/** One. */ export interface A { get(a: string): void; get(a: number): void }',
      errors: missing('A.get'),
    },
  ],
})
