/** The library: everything that other programs may rely on, and nothing else. */
export {
  isSessionReferenceError,
  SessionLogError,
  type SessionLogErrorCode,
  SessionReferenceError,
  type SessionReferenceErrorCode,
} from './errors.ts';
export type { SessionHeader } from './log/header.ts';
export type { StoredEvent } from './log/rows.ts';
export {
  formatSessionReferenceMention,
  type ParsedSessionReferences,
  parseSessionReferenceText,
  type SessionReference,
} from './mention/mention.ts';
export { decodeSessionReferenceUri, encodeSessionReferenceUri } from './mention/uri.ts';
export type { CapturedReference, ContextMessage } from './snapshot/context-message.ts';
export {
  type Candidate,
  type CandidateList,
  type CandidateOptions,
  type ContentBlock,
  type Conversation,
  type Diagnostic,
  openSessionStore,
  type PreparedMessage,
  type PrepareOptions,
  type ResolveOptions,
  type SessionList,
  type SessionRecord,
  type SessionStore,
  type SessionStoreOptions,
  type Skip,
  type Surface,
} from './store.ts';
export type { ConversationItem } from './surface/projection.ts';
