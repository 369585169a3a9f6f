import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { AnswerOf } from './answers/answers-match.ts'
import type { InputOf } from './arguments/argument-table.ts'

type AboutTable = {
  readonly [P in keyof HostPorts]?: {
    readonly [M in keyof HostPorts[P]]?: (
      answer: AnswerOf<HostPorts[P][M]>,
      input: InputOf<HostPorts[P][M]>,
    ) => boolean
  }
}

/** Whether a name that the host gave belongs to the account: its own, or one that begins with it. */
const isOf = (username: string, name: string): boolean =>
  name === username || name.startsWith(`${username}_`)

const isThatOrder = (
  answer: { username: string | null; domain: string },
  input: { username: string | null; domain: string },
): boolean => answer.username === input.username && answer.domain === input.domain

const isThatVersion = (
  { version }: { version: string },
  { operationId }: { operationId: string },
): boolean => version === operationId

/**
 * Of answers that name an account or a thing although one was asked for: whether it is that one.
 * A host that was taken over answers what it likes; what it says of others must not be believed.
 */
export const ABOUT_WHAT_WAS_ASKED: AboutTable = {
  users: { create: (user, { username }) => user.username === username },
  mailQueue: {
    list: ({ rows }, { username }) =>
      username === undefined || rows.every((mail) => mail.username === username),
    message: (mail, { id }) => mail.id === id,
    retry: (mail, { id }) => mail.id === id,
  },
  databases: {
    facts: (all, { username }) => all.every(({ database }) => isOf(username, database)),
  },
  databaseCopies: {
    exports: (all, { username }) => all.every(({ database }) => isOf(username, database)),
  },
  sftp: {
    loginDifferences: (all, { username }) => all.every(({ name }) => isOf(username, name)),
    userProblems: (all, { username }) => all.every(({ name }) => isOf(username, name)),
  },
  certificates: {
    issue: isThatVersion,
    install: isThatVersion,
    finishOrder: isThatVersion,
    beginOrder: isThatOrder,
    lookAtOrder: isThatOrder,
    pair: (pair, { domain, version }) =>
      pair === null || (pair.domain === domain && pair.version === version),
  },
  frontSites: {
    lacking: (lacking, { pairs }) => {
      const asked = new Set(pairs.map(({ domain, version }) => `${domain} ${version}`))
      return lacking.every(({ domain, version }) => asked.has(`${domain} ${version}`))
    },
  },
}
