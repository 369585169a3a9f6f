import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import type { Keeper } from './keeper.ts'
import { keeperQuestion, MOST_MESSAGE_BYTES } from './keeper-messages.ts'
import type { KeeperAnswer, KeeperQuestion } from './keeper-messages.ts'

/** Answers one question of the agent. */
const answerTo = async (keeper: Keeper, question: KeeperQuestion): Promise<KeeperAnswer> => {
  if (question.ask === 'settled') return keeper.settled()
  if (question.ask === 'take') keeper.take()
  if (question.ask === 'end') await keeper.end(question.graceMs)
  return keeper.state()
}

/** An agent that died before it wrote down whom it started will never ask. */
const FIRST_QUESTION_MS = 60_000

const readLine = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('\n')) resolve(text)
      else if (text.length > MOST_MESSAGE_BYTES) socket.destroy(new Error('too long'))
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
  })

/**
 * Answers the agent at the listening socket `fd`, one question a connection, each one line of
 * JSON; a question that cannot be answered closes it. `ended` is called when the application
 * was ended, as asked or since nobody asked anything in the first minute.
 */
export const serveKeeper = (keeper: Keeper, fd: number, ended: () => void): void => {
  const forgotten = setTimeout(() => void keeper.end(0).then(ended), FIRST_QUESTION_MS)
  createServer((socket) => {
    clearTimeout(forgotten)
    socket.on('error', () => undefined)
    void (async () => {
      const question = keeperQuestion.parse(JSON.parse(await readLine(socket)))
      const answer = await answerTo(keeper, question)
      socket.end(`${JSON.stringify(answer)}\n`, () => {
        if (question.ask === 'end') ended()
      })
    })().catch(() => socket.destroy())
  }).listen({ fd })
}
