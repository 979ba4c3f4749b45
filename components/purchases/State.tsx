import {
  Ban,
  Check,
  CheckCheck,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CircleQuestionMark,
  CircleX,
  Clock,
  ClockAlert,
  Contrast,
  CreditCard,
  EqualNot,
  Eye,
  FileCheck2,
  FileSearch,
  FileText,
  Hourglass,
  LoaderCircle,
  Lock,
  type LucideIcon,
  MessageSquareWarning,
  Minus,
  OctagonAlert,
  OctagonX,
  PencilLine,
  RefreshCw,
  RotateCcw,
  Undo2,
  UserRoundSearch,
  Wallet,
  X,
} from 'lucide-react';
import { type StateIcon, type StateKind, stateWord, type Tone } from './states.ts';

const icons: Record<StateIcon, LucideIcon> = {
  ban: Ban,
  check: Check,
  'check-check': CheckCheck,
  'circle-check': CircleCheck,
  'circle-dashed': CircleDashed,
  'circle-minus': CircleMinus,
  'circle-question-mark': CircleQuestionMark,
  'circle-x': CircleX,
  clock: Clock,
  'clock-alert': ClockAlert,
  contrast: Contrast,
  'credit-card': CreditCard,
  'equal-not': EqualNot,
  eye: Eye,
  'file-check-2': FileCheck2,
  'file-search': FileSearch,
  'file-text': FileText,
  hourglass: Hourglass,
  'loader-circle': LoaderCircle,
  lock: Lock,
  'message-square-warning': MessageSquareWarning,
  minus: Minus,
  'octagon-alert': OctagonAlert,
  'octagon-x': OctagonX,
  'pencil-line': PencilLine,
  'refresh-cw': RefreshCw,
  'rotate-ccw': RotateCcw,
  'undo-2': Undo2,
  'user-round-search': UserRoundSearch,
  wallet: Wallet,
  x: X,
};

// Tailwind finds only complete class names.
const tones: Record<Tone, string> = {
  settled: 'tone-settled',
  attention: 'tone-attention',
  person: 'tone-person',
  fault: 'tone-fault',
  quiet: 'tone-quiet',
};

interface Props {
  kind: StateKind;
  value: string;
  /** Another word for the same state, such as "Refunded" for a remedy. */
  word?: string;
}

/** A state in a row or text: icon, word, tone. */
export function State({ kind, value, word }: Props) {
  const state = stateWord(kind, value);
  const Icon = icons[state.icon];
  return (
    <span className={`state ${tones[state.tone]}`}>
      <Icon className="icon" />
      {word ?? state.word}
    </span>
  );
}

/** A state's icon alone, where the word is nearby. */
export function StateSign({ kind, value }: Omit<Props, 'word'>) {
  const state = stateWord(kind, value);
  const Icon = icons[state.icon];
  return (
    <span className={`state ${tones[state.tone]}`}>
      <Icon className="icon" />
    </span>
  );
}

/** A state in a heading, on its tint. */
export function StateBadge({ kind, value, word }: Props) {
  const state = stateWord(kind, value);
  const Icon = icons[state.icon];
  return (
    <span className={`badge ${tones[state.tone]}`}>
      <Icon className="icon" />
      {word ?? state.word}
    </span>
  );
}
