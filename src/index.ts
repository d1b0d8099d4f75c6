/** The library: everything that other programs may rely on, and nothing else. */
export {
  isSessionReferenceError,
  SessionLogError,
  type SessionLogErrorCode,
  SessionReferenceError,
  type SessionReferenceErrorCode,
} from './errors.ts';
export type { FileReference } from './files/file-reference.ts';
export { type FileQuery, listFileReferences } from './files/list.ts';
export { formatFileMention } from './files/mention.ts';
export { type FileToken, findFileToken } from './files/token.ts';
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
  parseTranscript,
  type Transcript as SpilledTranscript,
  type TranscriptMessage as SpilledTranscriptMessage,
  type TranscriptMetadata as SpilledTranscriptMetadata,
} from './snapshot/transcript.ts';
export {
  type LocalSpill,
  type LocalSpillOptions,
  openLocalSpill,
  type SpillReference,
  type SpillRequest,
  type SpillStore,
} from './spill/local.ts';
export {
  type BudgetExplanation,
  type Candidate,
  type CandidateList,
  type CandidateOptions,
  type ContentBlock,
  type Conversation,
  type Diagnostic,
  type Explanation,
  type HostMessage,
  type MessageBatch,
  openSessionStore,
  type PreparedMessage,
  type PrepareMessagesOptions,
  type PrepareOptions,
  type ResolveOptions,
  type SessionList,
  type SessionOrigin,
  type SessionRecord,
  type SessionStore,
  type SessionStoreOptions,
  type Skip,
  type SourceExplanation,
  type Surface,
} from './store.ts';
export type { ConversationItem } from './surface/projection.ts';
