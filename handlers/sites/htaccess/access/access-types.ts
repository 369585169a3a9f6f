import type { Expression } from '../../rewrite/expression.ts'
import type { AddressBlock } from '../../rewrite/pattern/match-address.ts'
import type { NameTest } from '../files/glob-test.ts'

/** A condition of `Require`. */
export type AccessTest =
  | { kind: 'all'; granted: boolean }
  | { kind: 'address'; blocks: AddressBlock[] }
  | { kind: 'host'; names: readonly string[] }
  | { kind: 'local' }
  | { kind: 'env'; names: readonly string[] }
  | { kind: 'method'; methods: readonly string[] }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'user'; names: readonly string[] }
  | { kind: 'group'; names: readonly string[] }
  | { kind: 'valid-user' }

/** Conditions joined: all, any or none must hold. */
export type AccessNode =
  | { kind: 'test'; test: AccessTest; negative: boolean }
  | { kind: 'all' | 'any' | 'none'; parts: AccessNode[] }
  /** Says nothing about other methods. */
  | { kind: 'limited'; limit: MethodLimit; part: AccessNode }

/** Methods that a rule is for, or all others (`<LimitExcept>`). */
export interface MethodLimit {
  methods: readonly string[]
  except: boolean
}

/** All `Allow` lines, or all `Deny` lines, of one block and one limit. */
export interface OldLine {
  allow: boolean
  limit: MethodLimit | null
  /** `all` is among them. */
  all: boolean
  /** Variables, their names in lower case, that are set, or are not. */
  variables: { name: string; negative: boolean }[]
  blocks: AddressBlock[]
}

/** What a `<Files>` or `<FilesMatch>` says of who may see files of its names; null: nothing. */
export interface NamedAccess {
  test: NameTest
  /** Whether `Require` lets everybody in. */
  require: boolean | null
  /** Whether `Order`, `Allow` and `Deny` do. */
  old: boolean | null
}
