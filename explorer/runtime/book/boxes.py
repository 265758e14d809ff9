"""The book's bounding boxes and anchors: corners and centres, overlap, assignment, offsets, suppression."""

import torch


def box_corner_to_center(boxes):
    """From (left, top, right, bottom) to (centre x, centre y, width, height)."""
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    return torch.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), dim=-1)


def box_center_to_corner(boxes):
    """From (centre x, centre y, width, height) to (left, top, right, bottom)."""
    cx, cy, w, h = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    return torch.stack((cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h), dim=-1)


def multibox_prior(data, sizes, ratios):
    """Anchor boxes around every pixel, all sides as shares of the picture: (1, anchors, 4)."""
    height, width = data.shape[-2:]
    device = data.device
    sizes, ratios = torch.tensor(sizes, device=device), torch.tensor(ratios, device=device)
    y = (torch.arange(height, device=device) + 0.5) / height
    x = (torch.arange(width, device=device) + 0.5) / width
    y, x = torch.meshgrid(y, x, indexing="ij")
    roots = torch.sqrt(ratios)
    w = torch.cat((sizes * roots[0], sizes[0] * roots[1:])) * height / width
    h = torch.cat((sizes / roots[0], sizes[0] / roots[1:]))
    around = torch.stack((-w, -h, w, h)).T / 2
    centres = torch.stack([x.reshape(-1), y.reshape(-1)] * 2, dim=1)
    return (centres[:, None] + around).reshape(1, -1, 4)


def box_iou(boxes1, boxes2):
    """The intersection over union of every box with every other."""
    area1, area2 = ((b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1]) for b in (boxes1, boxes2))
    upper = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    lower = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    sides = (lower - upper).clamp(min=0)
    shared = sides[:, :, 0] * sides[:, :, 1]
    return shared / (area1[:, None] + area2 - shared)


def assign_anchor_to_bbox(ground_truth, anchors, device, iou_threshold: float = 0.5):
    """For every anchor the index of the true box it is assigned to, -1 for none."""
    count, boxes = anchors.shape[0], ground_truth.shape[0]
    jaccard = box_iou(anchors, ground_truth)
    assigned = torch.full((count,), -1, dtype=torch.long, device=device)
    best, which = torch.max(jaccard, dim=1)
    assigned[best >= iou_threshold] = which[best >= iou_threshold]
    for _ in range(boxes):  # every true box gets its best anchor
        at = torch.argmax(jaccard)
        box, anchor = (at % boxes).long(), (at // boxes).long()
        assigned[anchor] = box
        jaccard[:, box] = -1
        jaccard[anchor, :] = -1
    return assigned


def offset_boxes(anchors, assigned_bb, eps: float = 1e-6):
    """The offsets that turn an anchor into its box."""
    anchor, box = box_corner_to_center(anchors), box_corner_to_center(assigned_bb)
    moved = 10 * (box[:, :2] - anchor[:, :2]) / anchor[:, 2:]
    stretched = 5 * torch.log(eps + box[:, 2:] / anchor[:, 2:])
    return torch.cat([moved, stretched], axis=1)


def multibox_target(anchors, labels):
    """Offsets, masks and classes of the anchors for a batch of labelled boxes."""
    anchors, device, count = anchors.squeeze(0), anchors.device, anchors.shape[-2]
    offsets, masks, classes = [], [], []
    for label in labels:
        assigned = assign_anchor_to_bbox(label[:, 1:], anchors, device)
        mask = (assigned >= 0).float().unsqueeze(-1).repeat(1, 4)
        kinds = torch.zeros(count, dtype=torch.long, device=device)
        boxes = torch.zeros((count, 4), dtype=torch.float32, device=device)
        used = torch.nonzero(assigned >= 0)
        chosen = assigned[used]
        kinds[used] = label[chosen, 0].long() + 1
        boxes[used] = label[chosen, 1:]
        offsets.append((offset_boxes(anchors, boxes) * mask).reshape(-1))
        masks.append(mask.reshape(-1))
        classes.append(kinds)
    return torch.stack(offsets), torch.stack(masks), torch.stack(classes)


def offset_inverse(anchors, offset_preds):
    """The boxes that predicted offsets turn anchors into."""
    anchor = box_corner_to_center(anchors)
    centres = offset_preds[:, :2] * anchor[:, 2:] / 10 + anchor[:, :2]
    sides = torch.exp(offset_preds[:, 2:] / 5) * anchor[:, 2:]
    return box_center_to_corner(torch.cat((centres, sides), axis=1))


def nms(boxes, scores, iou_threshold: float):
    """Non-maximum suppression: the indices of the boxes that remain, best first."""
    left = torch.argsort(scores, dim=-1, descending=True)
    kept = []
    while left.numel() > 0:
        best = left[0]
        kept.append(best)
        if left.numel() == 1:
            break
        overlap = box_iou(boxes[best, :].reshape(-1, 4), boxes[left[1:], :].reshape(-1, 4)).reshape(-1)
        left = left[torch.nonzero(overlap <= iou_threshold).reshape(-1) + 1]
    return torch.tensor(kept, device=boxes.device)


def multibox_detection(cls_probs, offset_preds, anchors, nms_threshold=0.5, pos_threshold=0.009999999):
    """Rows (class, confidence, box) for a batch of predictions; class -1 is background or suppressed."""
    anchors, found = anchors.squeeze(0), []
    for probs, offsets in zip(cls_probs, offset_preds.reshape(cls_probs.shape[0], -1, 4), strict=True):
        conf, kinds = torch.max(probs[1:], 0)
        boxes = offset_inverse(anchors, offsets)
        keep = nms(boxes, conf, nms_threshold)
        suppressed = torch.ones(anchors.shape[0], dtype=torch.bool, device=boxes.device)
        suppressed[keep] = False
        rest = torch.nonzero(suppressed).reshape(-1)
        kinds[rest] = -1
        order = torch.cat((keep, rest))
        kinds, conf, boxes = kinds[order], conf[order], boxes[order]
        unsure = conf < pos_threshold
        kinds[unsure] = -1
        conf[unsure] = 1 - conf[unsure]
        found.append(torch.cat((kinds.unsqueeze(1), conf.unsqueeze(1), boxes), dim=1))
    return torch.stack(found)
