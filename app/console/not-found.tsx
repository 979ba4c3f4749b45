import { NothingHere } from '@/components/ui/NothingHere.tsx';

/** Inside the frame of the section. */
export default function NotFound() {
  return <NothingHere />;
}
