import { apiContract } from '#test/contract/frame/api-contract.ts'
import { makeNodeApi } from './api-node.ts'

apiContract('Node with SQLite', () => makeNodeApi())
