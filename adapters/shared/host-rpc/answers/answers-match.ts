import type { z } from 'zod'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { HOST_ANSWERS } from './host-answers.ts'

/** What a port method answers. */
export type AnswerOf<F> = F extends (...args: never[]) => Promise<infer A> ? A : never

interface MayBeAbsent {
  readonly mayBeAbsent: true
}

/**
 * A type with every key present, and a mark where it may be absent: assignability alone
 * overlooks keys that may. Nothing is read-only in it, as nothing is in what a schema gives.
 */
type Marked<T> = T extends object
  ? {
      -readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
        ? Marked<T[K]> | MayBeAbsent
        : Marked<T[K]>
    }
  : T

/** Whether each of two answers can stand for the other. */
type Same<A, B> = [Marked<A>] extends [Marked<B>]
  ? [Marked<B>] extends [Marked<A>]
    ? true
    : false
  : false

type OutputOf<Method> = Method extends { output: infer Output } ? z.output<Output> : never

type MethodsOf<P> = P extends keyof typeof HOST_ANSWERS ? (typeof HOST_ANSWERS)[P] : never

/** Names of the methods whose port answers something else than the shapes here say. */
export type WrongAnswers = {
  [P in keyof HostPorts]: {
    [M in keyof HostPorts[P]]: M extends keyof MethodsOf<P>
      ? Same<AnswerOf<HostPorts[P][M]>, OutputOf<MethodsOf<P>[M]>> extends true
        ? never
        : `${P}/${M & string}`
      : `${P}/${M & string}`
  }[keyof HostPorts[P]]
}[keyof HostPorts]

type NobodyIsWrong<Wrong extends never> = Wrong
/** Fails to compile, with the methods' names, where a port's answer and its shape differ. */
export type ProvedAnswers = NobodyIsWrong<WrongAnswers>
